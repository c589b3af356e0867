import assert from "node:assert/strict";
import { test } from "node:test";
import { waitFor } from "@parley/testing";
import { pino } from "pino";
import { RemoteList } from "./remote-list.ts";

const MINUTE_MS = 60_000;

function open(load: (count: number) => Promise<readonly string[]>) {
  let nowMs = 0;
  let loads = 0;
  const lines: string[] = [];
  const logger = pino({}, { write: (line) => void lines.push(line) });
  const clock = { now: () => new Date(nowMs) };
  const list = new RemoteList({ name: "voices", load: async () => await load(++loads), clock, logger });
  return { list, lines, loads: () => loads, pass: (ms: number) => void (nowMs += ms) };
}

test("the first use waits for the list, later ones get the last one while it is refreshed", async () => {
  const second = Promise.withResolvers<readonly string[]>();
  const { list, loads, pass } = open(async (count) => (count === 1 ? ["a"] : await second.promise));
  assert.deepEqual(await Promise.all([list.get(), list.get()]), [["a"], ["a"]]);
  assert.equal(loads(), 1);
  pass(9 * MINUTE_MS);
  await list.get();
  assert.equal(loads(), 1);
  pass(MINUTE_MS);
  assert.deepEqual(await list.get(), ["a"]);
  assert.equal(loads(), 2);
  second.resolve(["a", "b"]);
  await waitFor("the refreshed list", async () => (await list.get())?.length === 2);
});

test("a vendor that is down changes nothing, is logged, and is asked again after a while", async () => {
  let isDown = true;
  const { list, lines, loads, pass } = open(async (count) => {
    if (isDown) throw new Error("it is down");
    return [`list ${count}`];
  });
  assert.equal(await list.get(), undefined);
  assert.equal(await list.get(), undefined);
  assert.equal(loads(), 1);
  assert.match(lines.join(""), /list of voices could not be refreshed: it is down/);
  isDown = false;
  pass(30_000);
  assert.deepEqual(await list.get(), ["list 2"]);
  isDown = true;
  pass(10 * MINUTE_MS);
  await list.refresh();
  assert.deepEqual(await list.get(), ["list 2"]);
});

test("a closed list loads nothing any more", async () => {
  const { list, loads } = open(async () => ["a"]);
  list.close();
  assert.equal(await list.get(), undefined);
  assert.equal(loads(), 0);
});
