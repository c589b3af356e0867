import assert from "node:assert/strict";
import test from "node:test";
import { UsageError } from "../operator/commands.ts";
import { readTestCommand } from "./options.ts";

const environment = { PARLEY_API_KEY: "key_of_this_test", PARLEY_HTTP_PORT: "8090" };

test("options and environment name the node, the suites and the run", () => {
  const words = [
    "--suite",
    "Orders",
    "--suite",
    "Opening hours",
    "--environment",
    "staging",
    "--mode",
    "chat",
  ];
  const variables = ["--variable", "name=Ada=1", "--variable", "age=3", "--variable", "zip=0123"];
  const command = readTestCommand(
    [...words, ...variables, "--junit", "out.xml", "--timeout", "0.5"],
    environment,
  );
  assert.deepEqual(command, {
    baseUrl: "http://127.0.0.1:8090/v1",
    apiKey: "key_of_this_test",
    suites: ["Orders", "Opening hours"],
    start: { environment: "staging", mode: "chat", variables: { name: "Ada=1", age: 3, zip: "0123" } },
    junit: "out.xml",
    summary: undefined,
    timeoutMs: 30_000,
  });
  const remote = ["--suite", "1", "--url", "https://parley.example/", "--api-key", "other"];
  const { baseUrl, apiKey } = readTestCommand(remote, environment);
  assert.deepEqual([baseUrl, apiKey], ["https://parley.example/v1", "other"]);
});

test("a wrong command says what is wrong and how to write it", () => {
  const refusal = (words: string[], variables: NodeJS.ProcessEnv = environment): string => {
    try {
      readTestCommand(words, variables);
    } catch (error) {
      assert.ok(error instanceof UsageError);
      assert.match(error.message, /--suite NAME-OR-ID/);
      return error.message.split("\n")[0] ?? "";
    }
    return assert.fail("accepted");
  };
  const suite = ["--suite", "1"];
  assert.equal(refusal([]), "--suite is required.");
  assert.match(refusal(suite, {}), /^Give an API key/);
  assert.match(refusal([...suite, "--mode", "fax"]), /^--mode is one of/);
  assert.match(refusal([...suite, "--variable", "name"]), /^--variable is NAME=VALUE/);
  assert.match(refusal([...suite, "--timeout", "never"]), /^--timeout is a number/);
  assert.match(refusal([...suite, "--color"]), /--color/);
});
