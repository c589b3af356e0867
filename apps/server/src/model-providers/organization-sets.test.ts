import assert from "node:assert/strict";
import { test } from "node:test";
import { parseConfig } from "../platform/config/config.ts";
import { OrganizationSets } from "./organization-sets.ts";

const configured = (key: string) => parseConfig({ OPENAI_API_KEY: key }).config;

function setUp() {
  const closed: string[] = [];
  let opened = 0;
  const sets = new OrganizationSets(async ({ providerAccess }) => {
    opened += 1;
    const key = providerAccess["openai-compatible"]?.apiKey ?? "";
    if (key === "broken") throw new Error("cannot be opened");
    return { key, close: () => void closed.push(key) };
  });
  return { sets, closed, count: () => opened };
}

test("an organization's set is opened once and shared, and no other organization gets it", async () => {
  const { sets, count } = setUp();
  const [one, two] = await Promise.all([sets.use("a", configured("k1")), sets.use("a", configured("k1"))]);
  assert.equal(one.set, two.set);
  const other = await sets.use("b", configured("k1"));
  assert.notEqual(other.set, one.set);
  assert.equal(count(), 2);
});

test("after a change of keys the old set is closed with its last user", async () => {
  const { sets, closed } = setUp();
  const old = await sets.use("a", configured("k1"));
  const also = await sets.use("a", configured("k1"));
  const now = await sets.use("a", configured("k2"));
  assert.equal(now.set.key, "k2");
  old.release();
  old.release();
  await Promise.resolve();
  assert.deepEqual(closed, []);
  also.release();
  await sets.close();
  assert.deepEqual(closed, ["k1", "k2"]);
});

test("what could not be opened is opened anew", async () => {
  const { sets, count } = setUp();
  await assert.rejects(sets.use("a", configured("broken")), /cannot be opened/);
  await assert.rejects(sets.use("a", configured("broken")), /cannot be opened/);
  assert.equal(count(), 2);
});

test("sets that no one uses are closed once there are many", async () => {
  const { sets, closed } = setUp();
  const kept = await sets.use("first", configured("in use"));
  for (let each = 0; each < 60; each++) (await sets.use(`o${each}`, configured(`k${each}`))).release();
  await Promise.resolve();
  assert.ok(closed.length >= 9 && closed.includes("k0") && !closed.includes("in use"), closed.join());
  kept.release();
});
