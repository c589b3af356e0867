import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import test from "node:test";
import { createTestServer } from "../testing.ts";
import * as store from "./trunk-monitors.store.ts";

/** PostgreSQL accepts 65,535 parameters per statement; a lease has three. */
const MANY_TRUNKS = 21_846;

test("a node leases, renews and releases more trunks than one statement has parameters for", async (context) => {
  const server = await createTestServer();
  context.after(async () => await server.close());
  const { database, organizationId } = server;
  await database.$client.query(
    `insert into sip_trunks (organization_id, friendly_name, proxy_address)
     select $1, 'Trunk ' || n, 'sip.example.com' from generate_series(1, $2) n`,
    [organizationId, MANY_TRUNKS],
  );
  const trunkIds = (await store.listReachableTrunks(database)).map(({ id }) => id);
  const [nodeId, otherNodeId] = [randomUUID(), randomUUID()];
  const now = new Date("2026-11-22T12:00:00Z");
  const leaseUntil = new Date(now.getTime() + 30_000);
  const lease = { trunkIds, nodeId, now, leaseUntil };
  assert.equal((await store.takeWatches(database, lease)).size, MANY_TRUNKS);
  assert.equal((await store.takeWatches(database, lease)).size, MANY_TRUNKS);
  const other = { ...lease, nodeId: otherNodeId };
  assert.equal((await store.takeWatches(database, other)).size, 0);
  await store.releaseWatches(database, nodeId);
  assert.equal((await store.takeWatches(database, other)).size, MANY_TRUNKS);
});
