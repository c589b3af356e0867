import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import test from "node:test";
import { waitFor } from "@parley/testing";
import { createTestServer } from "../testing.ts";

test("a call has its place while its pre-call webhook runs, and gives it up when it ends", async (context) => {
  const webhook = createServer(() => {}).listen(0, "127.0.0.1");
  await once(webhook, "listening");
  const address = webhook.address();
  assert.ok(typeof address === "object" && address !== null);
  const server = await createTestServer({ isPrivateWebhookAllowed: true });
  context.after(async () => {
    await server.close();
    webhook.closeAllConnections();
    webhook.close();
  });
  server.media.capacity = 1;
  const { modules, organizationId, actor } = server;
  const preCallWebhookUrl = `http://127.0.0.1:${address.port}/pre`;
  const agent = await modules.agents.create({ organizationId, actor }, { name: "Ada", preCallWebhookUrl });
  const asked = once(webhook, "request");
  const start = async () => await server.request("POST", `/agents/${agent.id}/test-call`, {});
  const { data: first } = (await start()).body as { data: { callId: string } };
  // The browser joins: its call is prepared.
  await waitFor("the call", () => modules.webCalls.find(first.callId));
  await asked;
  assert.equal(server.media.opened.length, 0);
  assert.deepEqual([(await start()).status, server.media.hasFreePlace], [503, false]);
  await server.request("POST", `/calls/${first.callId}/hangup`);
  await waitFor("the end of the call", () => server.media.hasFreePlace);
  assert.ok((await start()).status < 300);
});
