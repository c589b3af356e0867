import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type TestContext, test } from "node:test";
import { createLogger } from "../../platform/logging/logging.ts";
import { type TestServer, createTestServer, openTestCall } from "../testing.ts";
import { NodeHeartbeat } from "./node-heartbeat.ts";
import { BEAT_INTERVAL_MS, type NodeLoad, SILENCE_LIMIT_MS } from "./nodes.rules.ts";
import * as store from "./nodes.store.ts";

const logger = createLogger({ level: "silent" });
const ADDRESSES = { httpAddress: "http://127.0.0.1:1", sipAddress: "127.0.0.1:2" };
const READY: NodeLoad = { isDraining: false, isReady: true, activeCalls: 0, freePlaces: 10 };

/** Nodes on one database, with a clock that the test moves. */
class TestNodes {
  readonly server: TestServer;
  #elapsedMs = 0;

  static async open(context: TestContext): Promise<TestNodes> {
    const server = await createTestServer();
    context.after(async () => await server.close());
    return new TestNodes(server);
  }

  private constructor(server: TestServer) {
    this.server = server;
  }

  /** The test's records use the database's clock; this time is later than all of them. */
  now(): Date {
    return new Date(Date.now() + SILENCE_LIMIT_MS + this.#elapsedMs);
  }

  create({
    nodeId = randomUUID(),
    load = READY,
    active = [],
    onActiveAsked = () => {},
    onLost = async () => {},
  }: {
    nodeId?: string;
    load?: NodeLoad;
    active?: readonly string[];
    /** Called when the node lists its active calls, between its beat and its cleanup. */
    onActiveAsked?: () => void;
    onLost?: () => Promise<void>;
  } = {}): NodeHeartbeat {
    return new NodeHeartbeat({
      nodeId,
      database: this.server.database,
      clock: { now: () => this.now(), follow: async () => {} },
      lostCalls: this.server.modules.lostCalls,
      load: () => load,
      activeCallIds: () => {
        onActiveAsked();
        return active;
      },
      onSweep: async (transaction, now) =>
        await this.server.modules.callCommands.deleteExpired(transaction, now),
      onLost,
      logger,
      monotonicMs: () => this.#elapsedMs,
    });
  }

  pass(ms: number): void {
    this.#elapsedMs += ms;
  }

  /** Only these nodes beat, for this long. */
  async beat(ms: number, ...nodes: NodeHeartbeat[]): Promise<void> {
    for (let passedMs = 0; passedMs <= ms; passedMs += BEAT_INTERVAL_MS) {
      for (const node of nodes) await node.beat(ADDRESSES);
      this.pass(BEAT_INTERVAL_MS);
    }
  }

  async openCall(nodeId: string): Promise<string> {
    return (await openTestCall(this.server, { nodeId })).callId;
  }

  async endOf(callId: string): Promise<string | null> {
    return (await this.server.modules.calls.get(this.server.organizationId, callId)).endReason;
  }
}

test("a call recorded for a living node that does not run it is closed", async (context) => {
  const nodes = await TestNodes.open(context);
  const nodeId = randomUUID();
  const [active, inactive] = [await nodes.openCall(nodeId), await nodes.openCall(nodeId)];
  const node = nodes.create({ nodeId, active: [active] });
  // A new call may still be on its way to a node.
  await nodes.beat(30_000, node);
  assert.equal(await nodes.endOf(inactive), null);
  await nodes.beat(30_000, node);
  assert.deepEqual([await nodes.endOf(active), await nodes.endOf(inactive)], [null, "error_internal"]);
});

test("a node that stalls between its beat and its cleanup marks neither other nodes nor itself as lost", async (context) => {
  const nodes = await TestNodes.open(context);
  const [stalling, living] = [randomUUID(), randomUUID()];
  const callIds = [await nodes.openCall(stalling), await nodes.openCall(living)];
  let stallMs = 0;
  const active = callIds.slice(0, 1);
  const node = nodes.create({ nodeId: stalling, active, onActiveAsked: () => nodes.pass(stallMs) });
  const other = nodes.create({ nodeId: living });
  await nodes.beat(2 * SILENCE_LIMIT_MS, node, other);
  stallMs = SILENCE_LIMIT_MS + BEAT_INTERVAL_MS;
  await node.beat(ADDRESSES);
  assert.deepEqual(await Promise.all(callIds.map(async (callId) => await nodes.endOf(callId))), [null, null]);
});

test("the calls of a silent node are closed, and those of other nodes go on", async (context) => {
  const nodes = await TestNodes.open(context);
  const [silent, living] = [randomUUID(), randomUUID()];
  const [lost, kept] = [await nodes.openCall(silent), await nodes.openCall(living)];
  const [dying, other] = [nodes.create({ nodeId: silent }), nodes.create({ nodeId: living })];
  await nodes.beat(SILENCE_LIMIT_MS, dying, other);
  const lastBeatAt = nodes.now();
  assert.equal(await nodes.endOf(lost), null);
  await nodes.beat(SILENCE_LIMIT_MS + BEAT_INTERVAL_MS, other);
  assert.equal(await nodes.endOf(lost), "node_lost");
  const { endedAt } = await nodes.server.modules.calls.get(nodes.server.organizationId, lost);
  assert.ok(Date.parse(endedAt ?? "") <= lastBeatAt.getTime());
  assert.equal(await nodes.endOf(kept), null);
  assert.deepEqual(await store.listNodeIds(nodes.server.database), [living]);
});

test("after an outage that silenced all nodes, the first one back does not mark others as lost", async (context) => {
  const nodes = await TestNodes.open(context);
  const [slow, quick] = [randomUUID(), randomUUID()];
  const callId = await nodes.openCall(slow);
  const [first, second] = [nodes.create({ nodeId: slow, active: [callId] }), nodes.create({ nodeId: quick })];
  await nodes.beat(2 * SILENCE_LIMIT_MS, first, second);
  nodes.pass(2 * SILENCE_LIMIT_MS);
  await nodes.beat(SILENCE_LIMIT_MS - 2 * BEAT_INTERVAL_MS, second);
  assert.equal(await nodes.endOf(callId), null);
  await nodes.beat(2 * SILENCE_LIMIT_MS, first, second);
  assert.equal(await nodes.endOf(callId), null);
});

test("a node that was marked as lost learns of it with its next beat", async (context) => {
  const nodes = await TestNodes.open(context);
  let losses = 0;
  const silent = nodes.create({ onLost: async () => void (losses += 1) });
  const other = nodes.create();
  await silent.start(ADDRESSES);
  await nodes.beat(2 * SILENCE_LIMIT_MS + BEAT_INTERVAL_MS, other);
  await silent.beat(ADDRESSES);
  assert.equal(losses, 1);
  await silent.beat(ADDRESSES);
  assert.equal(losses, 1);
  await silent.close();
});

test("a node that ends removes itself from the list", async (context) => {
  const nodes = await TestNodes.open(context);
  const node = nodes.create();
  await node.start(ADDRESSES);
  assert.equal((await store.listNodeIds(nodes.server.database)).length, 1);
  await node.close();
  await node.close();
  assert.deepEqual(await store.listNodeIds(nodes.server.database), []);
});

test("a node reports its free capacity and whether it takes calls", async (context) => {
  const nodes = await TestNodes.open(context);
  const load = { isDraining: true, isReady: true, activeCalls: 3, freePlaces: 7 };
  const node = nodes.create({ load });
  await node.beat(ADDRESSES);
  const { rows } = await nodes.server.database.$client.query(
    "select state, active_calls, free_places from nodes",
  );
  assert.deepEqual(rows, [{ state: "draining", active_calls: 3, free_places: 7 }]);
});

test("a node that must be alone does not start beside another", async (context) => {
  const nodes = await TestNodes.open(context);
  const [first, second] = [nodes.create(), nodes.create()];
  await first.beat(ADDRESSES);
  const isRefused = assert.rejects(second.requireAlone(), /another node uses this database/);
  nodes.pass(BEAT_INTERVAL_MS);
  await first.beat(ADDRESSES);
  await isRefused;
});

test("a killed node does not block the start once it has been silent long enough", async (context) => {
  const nodes = await TestNodes.open(context);
  await nodes.create().beat(ADDRESSES);
  const alone = nodes.create().requireAlone();
  nodes.pass(SILENCE_LIMIT_MS + BEAT_INTERVAL_MS);
  await alone;
});
