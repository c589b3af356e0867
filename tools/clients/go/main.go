// Places a call with the client that openapi-generator generates for Go.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"

	parley "example.com/parley"
)

func check(what string, response *http.Response, err error) {
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, what, err, response)
	os.Exit(1)
}

func main() {
	configuration := parley.NewConfiguration()
	configuration.Servers = parley.ServerConfigurations{{URL: os.Getenv("PARLEY_URL")}}
	client := parley.NewAPIClient(configuration)
	keys := map[string]parley.APIKey{"apiKey": {Key: os.Getenv("PARLEY_API_KEY")}}
	ctx := context.WithValue(context.Background(), parley.ContextAPIKeys, keys)

	creation := parley.NewAgentCreate("Go")
	creation.SetSipTrunkId(os.Getenv("PARLEY_TRUNK_ID"))
	agent, response, err := client.AgentsAPI.CreateAgent(ctx).AgentCreate(*creation).Execute()
	check("create an agent", response, err)
	number := parley.NewPhoneNumberCreate("+4930123453")
	_, response, err = client.PhoneNumbersAPI.AddPhoneNumber(ctx, agent.Data.Id).PhoneNumberCreate(*number).Execute()
	check("add a number", response, err)
	wanted := parley.NewCallCreate(agent.Data.Id, "+4930123457")
	call, response, err := client.CallsAPI.CreateCall(ctx).CallCreate(*wanted).Execute()
	check("place a call", response, err)
	statuses := []string{"queued", "ringing", "failed"}
	calls, response, err := client.CallsAPI.ListCalls(ctx).AgentId(agent.Data.Id).Status(statuses).Execute()
	check("list calls", response, err)
	if len(calls.Data) != 1 || calls.Data[0].Id != call.Data.Id {
		fmt.Fprintln(os.Stderr, "the list does not contain the call:", calls.Data)
		os.Exit(1)
	}
}
