/**
 * What a client without a token reaches through WHIP. Raw sockets, because HTTP clients do not send these
 * requests.
 */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import type { JoinableCall } from "@parley/contract";
import { nodes } from "../nodes/nodes.tables.ts";
import { type TestServer, createTestServer, openTestCall } from "../testing.ts";
import { JoinTokens } from "./join-tokens.ts";

async function setUp(context: TestContext) {
  const server = await createTestServer();
  context.after(async () => await server.close());
  await server.app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = server.app.server.address() as AddressInfo;
  /** Sends one request with this exact target and returns the response. */
  const exchange = async (target: string, headers: readonly string[] = []): Promise<string> => {
    const socket = connect(port, "127.0.0.1");
    const lines = ["Host: parley.test", "Connection: close", "Content-Type: application/sdp", ...headers];
    socket.write(`POST ${target} HTTP/1.1\r\n${lines.join("\r\n")}\r\nContent-Length: 3\r\n\r\nv=0`);
    return await text(socket);
  };
  return { server, exchange };
}

/** Opens a server that counts its requests. */
async function openServer(context: TestContext, answer: string) {
  const seen: string[] = [];
  const http = createServer(({ url = "" }, response) => {
    seen.push(url);
    response.end(answer);
  }).listen(0, "127.0.0.1");
  await once(http, "listening");
  context.after(() => {
    http.closeAllConnections();
    http.close();
  });
  const { port } = http.address() as AddressInfo;
  return { seen, origin: `http://127.0.0.1:${port}` };
}

async function openNode({ database }: TestServer, httpAddress: string): Promise<string> {
  const id = randomUUID();
  const at = new Date();
  const load = { state: "ready", activeCalls: 1, freePlaces: 1, startedAt: at, beatAt: at } as const;
  await database.insert(nodes).values({ id, httpAddress, sipAddress: "127.0.0.1:5060", ...load });
  return id;
}

/** A web call of another node, and its join token. */
async function startWebCall(
  server: TestServer,
  nodeId: string,
): Promise<Pick<JoinableCall, "callId" | "token">> {
  const by = { organizationId: server.organizationId, actor: server.actor };
  const agent = await server.modules.agents.create(by, { name: "Ada" });
  const { callId } = await server.modules.calls.open({
    organizationId: server.organizationId,
    agentId: agent.id,
    agentRevision: null,
    configurationRevision: 1,
    environment: null,
    channel: "web",
    direction: "inbound",
    status: "ringing",
    phoneNumberId: null,
    sipTrunkId: null,
    fromNumber: null,
    toNumber: null,
    nodeId,
    sipCallId: null,
    variables: {},
    postCallWebhookUrl: null,
    startedAt: new Date(),
  });
  const tokens = new JoinTokens(server.encryption.deriveKeys("tokens that join calls"));
  return { callId, token: tokens.issue(callId) };
}

test("an absolute-form or network-path target for an open phone call reaches no server", async (context) => {
  const { server, exchange } = await setUp(context);
  const [evil, owner] = [await openServer(context, "evil"), await openServer(context, "owner")];
  const nodeId = await openNode(server, owner.origin);
  const { callId } = await openTestCall(server, { nodeId });
  const path = `/rtc/calls/${callId}`;
  const token = `Authorization: Bearer ${"t".repeat(43)}`;
  const attempts = [`${evil.origin}${path}`, `${evil.origin}${path}/session`, path];
  for (const target of attempts)
    assert.match(await exchange(target, [token]), /^HTTP\/1\.1 (401|405)/, target);
  const networkPath = evil.origin.replace("http:", "") + path;
  assert.match(await exchange(networkPath, [token]), /^HTTP\/1\.1 404/);
  assert.deepEqual([evil.seen, owner.seen], [[], []]);
});

test("a token joins only its own call, by a path that this server builds", async (context) => {
  const { server, exchange } = await setUp(context);
  const [evil, owner] = [await openServer(context, "evil"), await openServer(context, "owner")];
  const nodeId = await openNode(server, owner.origin);
  const call = await startWebCall(server, nodeId);
  const phoneCall = await openTestCall(server, { nodeId });
  const token = `Authorization: Bearer ${call.token}`;
  assert.match(await exchange(`/rtc/calls/${phoneCall.callId}`, [token]), /^HTTP\/1\.1 401/);
  // RFC 9112 §3.2.2: a server accepts the absolute form and uses its path.
  const answer = await exchange(`${evil.origin}/rtc/calls/${call.callId}?x=//evil`, [token]);
  assert.match(answer, /owner$/);
  assert.deepEqual([evil.seen, owner.seen], [[], [`/rtc/calls/${call.callId}`]]);
});

test("a call whose node has this node's address is not relayed there", async (context) => {
  const { server, exchange } = await setUp(context);
  const own = await openServer(context, "self");
  const nodeId = await openNode(server, own.origin);
  const call = await startWebCall(server, nodeId);
  const at = new Date();
  const load = { state: "ready", activeCalls: 0, freePlaces: 1, startedAt: at, beatAt: at } as const;
  const sipAddress = "127.0.0.1:5060";
  await server.database
    .insert(nodes)
    .values({ id: "test-node", httpAddress: own.origin, sipAddress, ...load });
  const path = `/rtc/calls/${call.callId}`;
  assert.match(await exchange(path, [`Authorization: Bearer ${call.token}`]), /^HTTP\/1\.1 404/);
  assert.deepEqual(own.seen, []);
});
