/**
 * Test calls on nodes that share a database and have HTTP servers of their own. Their media processes no
 * audio.
 */
import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import test, { type TestContext } from "node:test";
import type { CallDetail, ErrorBody, JoinableCall } from "@parley/contract";
import type { WebMediaLeg, WebMediaLegHandlers } from "../../media/media-legs.ts";
import type { MediaCall } from "../../media/media-protocol.ts";
import { createFeatures, type Services } from "../../node/features.ts";
import { createTestResources } from "../../node/testing.ts";
import { PostgresBus } from "../../platform/bus/postgres-bus.ts";
import { ClosingStack } from "../../platform/closing-stack.ts";
import { Encryption } from "../../platform/encryption/encryption.ts";
import { createHttpServer } from "../../platform/http/http-server.ts";
import { Idempotency } from "../../platform/idempotency/idempotency.ts";
import { createLogger } from "../../platform/logging/logging.ts";
import { RateLimiter } from "../../platform/rate-limit/rate-limiter.ts";
import type { ActiveCallRegistry } from "../active-calls/active-call-registry.ts";
import { deleteNode } from "../nodes/nodes.store.ts";
import { nodes } from "../nodes/nodes.tables.ts";
import { createTestServer, type TestServer } from "../testing.ts";

const logger = createLogger({ level: "silent" });

interface Node {
  id: string;
  url: string;
  modules: Services;
  activeCalls: ActiveCallRegistry;
  /** The actual state, which may differ from the node's last heartbeat. */
  hasFreePlace: boolean;
  /** Calls whose media was opened. */
  opened: MediaCall[];
  handlers: WebMediaLegHandlers | undefined;
  /** Makes the node ignore commands. */
  fallSilent: () => void;
}

interface Answer<T> {
  status: number;
  retryAfter: string | null;
  body: T;
}

function webLegOf(nodeId: string): WebMediaLeg {
  return {
    prepared: Promise.resolve(),
    instruct: async () => true,
    noteTransfer: () => {},
    close: async () => undefined,
    join: async () => ({ ok: true, sdp: `answer of ${nodeId}` }),
    takeFragment: async () => ({ kind: "taken" }),
    finish: async () => {},
    sendEvent: () => {},
  };
}

type NodeMedia = Omit<Node, "modules" | "activeCalls" | "url" | "fallSilent">;

interface Cluster {
  server: TestServer;
  encryption: Encryption;
  clock: { now: () => Date };
  /** What to close, the last one first. */
  ends: (() => Promise<void> | void)[];
}

/** Media of a node without processes. */
function mediaOf(node: NodeMedia, freePlaces: number) {
  return {
    isReady: true,
    freePlaces,
    get hasFreePlace() {
      return node.hasFreePlace;
    },
    reserve: () => (node.hasFreePlace ? { [Symbol.dispose]: () => undefined } : undefined),
    open: async () => await Promise.reject(new Error("these are no calls by telephone")),
    openWeb: async (call: MediaCall, given: WebMediaLegHandlers): Promise<WebMediaLeg> => {
      node.opened.push(call);
      node.handlers = given;
      return webLegOf(node.id);
    },
  };
}

/** A node of the cluster, with a media process that only records what it opens. */
async function startNode({ server, encryption, clock, ends }: Cluster, freePlaces: number): Promise<Node> {
  const { database, connectionString } = server;
  const now = clock.now();
  const id = randomUUID();
  const bus = await PostgresBus.start({ database, connectionString, logger });
  ends.push(async () => await bus.close());
  const node: NodeMedia = {
    id,
    hasFreePlace: true,
    opened: [],
    handlers: undefined,
  };
  const resources = createTestResources({
    database,
    encryption,
    nodeId: id,
    bus,
    clock,
    media: mediaOf(node, freePlaces),
  });
  const features = createFeatures(resources);
  const started = new ClosingStack();
  features.closeWith(started);
  const { services: modules } = features;
  const { activeCalls, callCommands } = modules;
  callCommands.start();
  ends.push(async () => await started.close());
  ends.push(async () => await activeCalls.drain(0));
  const app = await createHttpServer({
    logger,
    authenticate: async (key) => await modules.apiKeys.authenticate(key),
    idempotency: new Idempotency(database, encryption, clock),
    rateLimiter: new RateLimiter(database, clock, (id) => modules.organizationLimits.find(id)),
    findLimits: (id) => modules.organizationLimits.find(id),
  });
  features.bindRoutes(app);
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  ends.push(async () => await app.close());
  await database.insert(nodes).values({
    id,
    httpAddress: url,
    sipAddress: "127.0.0.1:5060",
    state: "ready",
    activeCalls: 0,
    freePlaces,
    startedAt: now,
    beatAt: now,
  });
  return Object.assign(node, { url, modules, activeCalls, fallSilent: () => callCommands.close() });
}

async function setUp(context: TestContext) {
  const server = await createTestServer();
  const { database, organizationId, apiKey } = server;
  const now = new Date();
  const clock = { now: () => now };
  const ends: (() => Promise<void> | void)[] = [async () => await server.close()];
  context.after(async () => {
    for (const end of ends.reverse()) await end();
  });
  const cluster: Cluster = { server, encryption: new Encryption(randomBytes(32)), clock, ends };
  const openNode = async (freePlaces: number): Promise<Node> => await startNode(cluster, freePlaces);
  const agent = await server.modules.agents.create(server, {
    name: "Club",
    publishMode: "manual",
    firstMessage: "Draft of {{day}}.",
    testVariables: { day: "Sunday" },
  });
  const ask = async <T>(node: Node, method: string, route: string, key?: string): Promise<Answer<T>> => {
    const response = await fetch(`${node.url}/v1${route}`, {
      method,
      headers: { "x-api-key": apiKey, ...(key !== undefined && { "idempotency-key": key }) },
    });
    const body: T = JSON.parse(await response.text());
    return { status: response.status, retryAfter: response.headers.get("retry-after"), body };
  };
  const start = async (node: Node, key?: string): Promise<JoinableCall> => {
    const route = `/agents/${agent.id}/test-call`;
    const { status, body } = await ask<{ data: JoinableCall }>(node, "POST", route, key);
    assert.equal(status, 201, JSON.stringify(body));
    return body.data;
  };
  const refuse = async (node: Node, key?: string): Promise<[number, string, string | null]> => {
    const answer = await ask<ErrorBody>(node, "POST", `/agents/${agent.id}/test-call`, key);
    return [answer.status, answer.body.error, answer.retryAfter];
  };
  const record = async (node: Node, callId: string): Promise<CallDetail & { nodeId: string }> => {
    const { body } = await ask<{ data: CallDetail }>(node, "GET", `/calls/${callId}`);
    const { nodeId } = await node.modules.calls.describe(organizationId, callId);
    return { ...body.data, nodeId };
  };
  const countCalls = async (): Promise<number> =>
    (await database.$client.query("select 1 from calls union all select 1 from conversations")).rowCount ?? 0;
  return { server, agent, clock, openNode, start, refuse, record, countCalls };
}

async function join(node: Node, { callId, token }: JoinableCall): Promise<[number, string]> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/sdp" };
  const response = await fetch(`${node.url}/rtc/calls/${callId}`, { method: "POST", headers, body: "v=0" });
  return [response.status, await response.text()];
}

test("a full node hands the call to the node with the most capacity, and any node joins it", async (context) => {
  const { server, agent, openNode, start, record } = await setUp(context);
  const [full, roomy, other] = [await openNode(0), await openNode(5), await openNode(2)];
  full.hasFreePlace = false;
  const first = await start(full);
  assert.equal(first.url, `${full.url}/rtc/calls/${first.callId}`);
  assert.deepEqual([full.activeCalls.size, roomy.activeCalls.size, other.activeCalls.size], [0, 1, 0]);
  const ringing = await record(other, first.callId);
  assert.deepEqual(
    [ringing.nodeId, ringing.status, ringing.channel, ringing.isTest],
    [roomy.id, "ringing", "web", true],
  );
  const [media] = roomy.opened;
  assert.equal(media?.agent.firstMessage, "Draft of Sunday.");

  assert.deepEqual(await join(other, { ...first, token: "x".repeat(43) }).then(([status]) => status), 401);
  assert.deepEqual(await join(other, first), [201, `answer of ${roomy.id}`]);
  roomy.handlers?.onConnected();
  const session = `/rtc/calls/${first.callId}/session`;
  const headers = { authorization: `Bearer ${first.token}` };
  const counted = await server.modules.callStatistics.countActive(server.organizationId, {});
  assert.equal(counted, 1);
  assert.equal((await fetch(full.url + session, { method: "DELETE", headers })).status, 200);
  await roomy.activeCalls.drain(1_000);
  const ended = await record(full, first.callId);
  assert.deepEqual([ended.endReason, ended.agentId], ["user_hangup", agent.id]);

  // The other node is full now, although its last heartbeat reported free capacity.
  const second = await start(full, "key");
  assert.equal((await record(full, second.callId)).nodeId, other.id);
  assert.deepEqual(await start(full, "key"), second);
  assert.deepEqual(await join(full, second), [201, `answer of ${other.id}`]);
});

test("capacity_exceeded is returned only if every node is full, and leaves no call", async (context) => {
  const { openNode, start, refuse, record, countCalls } = await setUp(context);
  const [asked, other, last] = [await openNode(0), await openNode(5), await openNode(2)];
  for (const node of [asked, other, last]) node.hasFreePlace = false;
  const refusal: [number, string, string] = [503, "capacity_exceeded", "5"];
  // By their last heartbeats, both others have free capacity.
  assert.deepEqual(await refuse(asked), refusal);
  assert.deepEqual(await refuse(asked, "key"), refusal);
  assert.equal(await countCalls(), 0);
  last.hasFreePlace = true;
  const { callId } = await start(asked, "key");
  assert.equal((await record(asked, callId)).nodeId, last.id);
});

test("a node that does not receive the call is skipped, and cannot take it later", async (context) => {
  const { openNode, start, record } = await setUp(context);
  const [asked, silent, other] = [await openNode(0), await openNode(5), await openNode(2)];
  asked.hasFreePlace = false;
  silent.fallSilent();
  const { callId } = await start(asked);
  assert.equal((await record(asked, callId)).nodeId, other.id);
  const late = { fromNodeId: asked.id, toNodeId: silent.id, type: "awaitBrowser" } as const;
  assert.equal(await silent.modules.webCalls.takePlaced(callId, late), "refused");
});

test("a call whose node is lost before a browser joins is closed as node_lost", async (context) => {
  const { server, clock, openNode, start, record } = await setUp(context);
  const [asked, owner] = [await openNode(0), await openNode(5)];
  asked.hasFreePlace = false;
  const call = await start(asked);
  await deleteNode(server.database, owner.id);
  const gone = await join(asked, call);
  assert.equal(gone[0], 404);
  await server.modules.lostCalls.closeOrphans({
    livingNodeIds: [asked.id],
    lastBeats: new Map(),
    now: clock.now(),
  });
  const { status, endReason } = await record(asked, call.callId);
  assert.deepEqual([status, endReason], ["failed", "node_lost"]);
  assert.equal((await join(asked, call))[0], 404);
});

test("a start that found no free node does not count toward the limit of twenty", async (context) => {
  const { openNode, start, refuse, countCalls } = await setUp(context);
  const [asked, other] = [await openNode(0), await openNode(5)];
  for (const node of [asked, other]) node.hasFreePlace = false;
  for (let refused = 0; refused < 25; refused++) {
    const [status, error] = await refuse(asked);
    assert.deepEqual([status, error], [503, "capacity_exceeded"]);
  }
  assert.equal(await countCalls(), 0);
  other.hasFreePlace = true;
  for (let started = 0; started < 20; started++) await start(asked);
  assert.equal((await refuse(asked))[0], 429);
});

test("the limit of twenty starts in a minute applies to all nodes together", async (context) => {
  const { openNode, start, refuse } = await setUp(context);
  const own = [await openNode(5), await openNode(5), await openNode(5)];
  for (let started = 0; started < 20; started++)
    await start(own[started % own.length] ?? assert.fail("there is a node"));
  for (const node of own) {
    const [status, error] = await refuse(node);
    assert.deepEqual([status, error], [429, "rate_limited"]);
  }
});
