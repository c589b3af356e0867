"""Places a call with the client that openapi-python-client generates, and verifies signed requests of tools."""

import base64
import json
import os
import sys
from urllib.parse import urlsplit

import standardwebhooks
import svix
from parley_api import AuthenticatedClient
from parley_api.api.agents import create_agent
from parley_api.api.calls import create_call, list_calls
from parley_api.api.phone_numbers import add_phone_number
from parley_api.models import AgentCreate, CallCreate, PhoneNumberCreate
from parley_api.models.list_calls_status_item import ListCallsStatusItem

client = AuthenticatedClient(
    base_url=os.environ["PARLEY_URL"],
    token=os.environ["PARLEY_API_KEY"],
    prefix="",
    auth_header_name="x-api-key",
    raise_on_unexpected_status=True,
)


def data_of(answer):
    if not hasattr(answer, "data"):
        sys.exit(f"the server refused: {answer}")
    return answer.data


body = AgentCreate(name="Python", sip_trunk_id=os.environ["PARLEY_TRUNK_ID"])
agent = data_of(create_agent.sync(client=client, body=body))
number = PhoneNumberCreate(e164="+4930123451")
data_of(add_phone_number.sync(agent.id, client=client, body=number))
call = data_of(
    create_call.sync(client=client, body=CallCreate(agent_id=agent.id, to_number="+4930123457"))
)
statuses = list(ListCallsStatusItem)
calls = data_of(list_calls.sync(client=client, agent_id=agent.id, status=statuses))
assert [each.id for each in calls] == [call.id], calls

with open(os.environ["PARLEY_SIGNED"], encoding="utf8") as file:
    signed = json.load(file)
for request in signed["requests"]:
    headers, content = request["headers"], request["body"]
    if "x-parley-signed-content" in headers:
        encoded = headers["x-parley-signed-content"]
        content = base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)).decode()
        target = urlsplit(request["url"])
        expected = {"method": request["method"], "path": target.path, "query": target.query}
        assert json.loads(content) == expected, content
    svix.Webhook(signed["secret"]).verify(content, headers)
    standardwebhooks.Webhook(signed["secret"]).verify(content, headers)
    for library in (svix, standardwebhooks):
        try:
            library.Webhook(signed["secret"]).verify(content.replace("7", "8"), headers)
        except library.webhooks.WebhookVerificationError:
            continue
        sys.exit(f"{library.__name__} accepted a forged request")
