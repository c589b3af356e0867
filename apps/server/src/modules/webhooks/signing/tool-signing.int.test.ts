import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import test, { type TestContext } from "node:test";
import { systemClock } from "../../../platform/clock.ts";
import { createWebhookTool, type WebhookTool } from "../../../custom-tools/webhook-tool.ts";
import { createTestDatabase } from "../../../platform/database/testing.ts";
import { Encryption } from "../../../platform/encryption/encryption.ts";
import { createLogger } from "../../../platform/logging/logging.ts";
import { OutboundClient } from "../../../platform/outbound-http/outbound-client.ts";
import { OrganizationsService } from "../../organizations/organizations.service.ts";
import { SigningSecretsService } from "./signing-secrets.service.ts";
import { isSigned, isSignedWith, startReceiver } from "../testing.ts";
import { ToolSigning } from "./tool-signing.ts";

/** Creates a call's tool on one node, and secrets that another node changes. */
async function open(t: TestContext) {
  const { database, close } = await createTestDatabase();
  t.after(close);
  const encryption = new Encryption(randomBytes(32));
  const signingSecrets = new SigningSecretsService(database, encryption, systemClock);
  const { id: organizationId } = await new OrganizationsService(database).ensure(database, "acme", "Acme");
  const receiver = await startReceiver(t, (response) => void response.end("{}"));
  const client = new OutboundClient({ isPrivateAllowed: true });
  t.after(async () => await client.close());
  const signing = new ToolSigning({
    signingSecrets,
    clock: systemClock,
    logger: createLogger({ level: "silent" }),
  });
  const tool: WebhookTool = {
    id: randomUUID(),
    name: "look_up",
    description: "",
    inputSchema: { type: "object" },
    isAsync: false,
    method: "POST",
    url: receiver.url,
    headers: [],
    queryParams: [],
    isRawBody: false,
  };
  const conversation = {
    callId: randomUUID(),
    conversationId: randomUUID(),
    agentId: randomUUID(),
    environment: null,
    channel: "phone",
    fromNumber: null,
    toNumber: null,
    isTest: true,
    variables: {},
  } as const;
  const sign = signing.signerFor(organizationId);
  const call = async (method: WebhookTool["method"] = "POST") => {
    const lookUp = createWebhookTool({ ...tool, method }, conversation, client, sign);
    await lookUp.execute(
      { text: "Grüß Gott" },
      { toolCallId: "call_1", signal: new AbortController().signal },
    );
    const request = receiver.requests.at(-1);
    assert.ok(request !== undefined);
    return request;
  };
  return {
    signingSecrets,
    otherNode: new SigningSecretsService(database, encryption, systemClock),
    organizationId,
    call,
  };
}

test("a tool's request is signed as soon as another node creates a secret, by both in a rotation, and not after its deletion", async (t) => {
  const { otherNode, organizationId, call } = await open(t);
  assert.ok(!isSigned(await call()));
  const { secret: first } = await otherNode.rotate(organizationId);
  assert.ok(isSignedWith(first, await call()));
  const { secret: second } = await otherNode.rotate(organizationId);
  for (const method of ["POST", "PATCH", "GET", "DELETE"] as const) {
    const request = await call(method);
    for (const secret of [first, second]) assert.ok(isSignedWith(secret, request), method);
  }
  await otherNode.disable(organizationId);
  assert.ok(!isSigned(await call()));
});

test("during a database outage a call's tools are signed as before", async (t) => {
  const { signingSecrets, otherNode, organizationId, call } = await open(t);
  const { secret } = await otherNode.rotate(organizationId);
  await call();
  const failing = t.mock.method(
    signingSecrets,
    "findSecrets",
    async () => await Promise.reject(new Error("away")),
  );
  assert.ok(isSignedWith(secret, await call()));
  failing.mock.mockImplementation(async () => await new Promise<string[]>(() => {}));
  assert.ok(isSignedWith(secret, await call()));
});
