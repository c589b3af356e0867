import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Clock } from "@parley/sip";
import { PostgresBus } from "../../platform/bus/postgres-bus.ts";
import { createLogger } from "../../platform/logging/logging.ts";
import { waitFor } from "@parley/testing";
import { createTestDatabase } from "../../platform/database/testing.ts";
import { createTestLine, createTestServer } from "../testing.ts";
import { InboundNumbers } from "./inbound-numbers.ts";

const E164 = "+14155550123";

/** The trunk of the only number among these; `undefined` if none is bound. */
async function onlyTrunk(numbers: InboundNumbers, dialed: readonly string[]) {
  const found = await numbers.find(dialed);
  assert.ok(found.length <= 1 && (found[0]?.trunks.length ?? 0) <= 1);
  return found[0]?.trunks[0];
}

async function open(context: TestContext) {
  const testDatabase = await createTestDatabase();
  const { database, connectionString } = testDatabase;
  const server = await createTestServer({ testDatabase });
  const bus = await PostgresBus.start({
    connectionString,
    database,
    logger: createLogger({ level: "silent" }),
  });
  context.after(async () => {
    await bus.close();
    await server.close();
  });
  let nowMs = 0;
  const clock: Clock = { nowMs: () => nowMs, schedule: () => ({ cancel: () => undefined }) };
  const numbers = new InboundNumbers({ database, sipTrunks: server.modules.sipTrunks, bus, clock });
  /** Messages arrive in the order of their transactions: after this one, all earlier ones have been processed. */
  const settled = async (): Promise<void> => {
    const heard = Promise.withResolvers<void>();
    const stop = bus.subscribe("settled", () => heard.resolve());
    await bus.publish(database, "settled", "now");
    await heard.promise;
    stop();
  };
  return { server, numbers, settled, wait: (durationMs: number) => void (nowMs += durationMs) };
}

test("many INVITEs for unknown numbers share a lookup, and repeated ones need none", async (context) => {
  const { numbers, wait } = await open(context);
  const dialed = Array.from({ length: 1_000 }, (_, index) => `+1415555${1000 + index}`);
  const ask = async (): Promise<unknown> =>
    await Promise.all(dialed.map(async (number) => await numbers.find([number])));
  await ask();
  const first = numbers.lookupCount;
  // The first number starts a lookup at once; those that arrive meanwhile share the second.
  assert.ok(first >= 1 && first <= 2, `${first} look-ups`);
  for (let repeats = 0; repeats < 10; repeats++) await ask();
  assert.equal(numbers.lookupCount, first);
  wait(10_000);
  await ask();
  assert.ok(numbers.lookupCount > first && numbers.lookupCount <= 2 * first);
});

test("malformed numbers need no lookup", async (context) => {
  const { numbers } = await open(context);
  for (const text of ["", "alice", "1", "9".repeat(60_000), "%00abc", "'; drop table phone_numbers"])
    assert.deepEqual(await numbers.find([text]), []);
  assert.equal(numbers.lookupCount, 0);
});

test("every node knows a number as soon as it is bound, and sees changes of its trunk", async (context) => {
  const { server, numbers } = await open(context);
  const { modules, organizationId, actor } = server;
  assert.deepEqual(await numbers.find([E164]), []);
  const trunk = await modules.sipTrunks.create(organizationId, { friendlyName: "Carrier" });
  const by = { organizationId, actor };
  const agent = await modules.agents.create(by, { name: "Ada", sipTrunkId: trunk.id });
  await modules.phoneNumbers.add(by, agent.id, { e164: E164 });
  const found = await waitFor("the number", async () => await onlyTrunk(numbers, ["alice", E164.slice(1)]));
  assert.deepEqual([found.id, found.isInboundAuthenticated], [trunk.id, false]);
  await modules.sipTrunks.update(organizationId, trunk.id, { allowedAddresses: ["192.0.2.1"] });
  await waitFor(
    "the change",
    async () => (await onlyTrunk(numbers, [E164]))?.allowedAddresses[0] === "192.0.2.1",
  );
});

test("a flood of unknown numbers displaces no known one, and memory is bounded", async (context) => {
  const { server, numbers, settled } = await open(context);
  const known = (await createTestLine(server)).toNumber ?? "";
  await settled();
  assert.ok((await onlyTrunk(numbers, [known])) !== undefined);
  for (let round = 0; round < 12; round++) {
    const dialed = Array.from({ length: 1_000 }, (_, index) => `+4930${round * 1_000 + index + 1_000_000}`);
    await numbers.find(dialed);
  }
  const { lookupCount } = numbers;
  assert.ok(lookupCount <= 1 + 2 * 12, `${lookupCount} look-ups`);
  assert.ok((await onlyTrunk(numbers, [known])) !== undefined);
  assert.equal(numbers.lookupCount, lookupCount);
});
