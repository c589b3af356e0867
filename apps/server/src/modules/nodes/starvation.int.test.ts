/** Requests that wait for another node use no database connection meanwhile. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { Client } from "pg";
import { openDatabase } from "../../platform/database/database.ts";
import { createLogger } from "../../platform/logging/logging.ts";
import { waitFor } from "@parley/testing";
import { type TestServer, createTestServer, openTestCall } from "../testing.ts";
import { NodeHeartbeat } from "./node-heartbeat.ts";

const logger = createLogger({ level: "silent" });

type Ends = (() => Promise<void>)[];

async function openHeartbeat(ends: Ends, server: TestServer): Promise<NodeHeartbeat> {
  const database = await openDatabase(server.connectionString, { maxConnections: 1 });
  ends.push(async () => await database.$client.end());
  return new NodeHeartbeat({
    nodeId: randomUUID(),
    database,
    clock: { now: () => new Date(), follow: async () => {} },
    lostCalls: server.modules.lostCalls,
    load: () => ({ isDraining: false, isReady: true, activeCalls: 0, freePlaces: 1 }),
    activeCallIds: () => [],
    onSweep: async () => undefined,
    onLost: async () => {},
    logger,
  });
}

test("beats and other requests go on while more keyed requests than connections wait for a silent node", async (context) => {
  const server = await createTestServer();
  const ends: Ends = [async () => await server.close()];
  context.after(async () => {
    for (const end of ends.reverse()) await end();
  });
  const heartbeat = await openHeartbeat(ends, server);
  const watcher = new Client({ connectionString: server.connectionString });
  await watcher.connect();
  ends.push(async () => await watcher.end());
  const { callId } = await openTestCall(server, { nodeId: "silent" });
  await server.database.$client.query("update calls set status = 'in_progress' where id = $1", [callId]);

  const count = server.database.$client.options.max + 10;
  const waiting = Array.from({ length: count }, async (_, index) => {
    const keyed = { "idempotency-key": `key ${index}`.replace(" ", "-") };
    const route = `/calls/${callId}/${index % 2 === 0 ? "instructions" : "hangup"}`;
    const body = index % 2 === 0 ? { instruction: "Offer tea." } : {};
    return await server.request("POST", route, body, server.apiKey, keyed);
  });
  await waitFor("the requests to wait for the node, or the pool to be empty", async () => {
    const { rows } = await watcher.query<{ sent: number; held: number }>(
      `select (select count(*)::int from call_commands) as sent,
         (select count(*)::int from pg_stat_activity
           where datname = current_database() and state = 'idle in transaction') as held`,
    );
    const [{ sent, held } = { sent: 0, held: 0 }] = rows;
    return sent > server.database.$client.options.max || held === server.database.$client.options.max;
  });

  const [other] = await Promise.all([
    server.request("GET", "/agents"),
    heartbeat.beat({ httpAddress: "http://127.0.0.1:1", sipAddress: "127.0.0.1:2" }),
  ]);
  assert.equal(other.status, 200, JSON.stringify(other.body));
  for (const { status, body } of await Promise.all(waiting))
    assert.deepEqual([status, (body as { error: string }).error], [409, "call_not_addressable"]);
  const { rowCount } = await watcher.query("select 1 from idempotency_keys");
  assert.equal(rowCount, 0, "a failure is not remembered");
});
