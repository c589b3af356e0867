import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { Trickle } from "./trickle.ts";

test("candidates wait for the answer and are sent together, later ones in consecutive requests", async () => {
  const trickle = new Trickle();
  const sent: [readonly string[], boolean][] = [];
  let answer = (): void => {};
  const isAnswered = new Promise<void>((resolve) => (answer = resolve));
  trickle.add("a");
  trickle.add("b");
  trickle.start(async (candidates, isComplete) => {
    sent.push([candidates, isComplete]);
    if (sent.length === 1) await isAnswered;
  });
  trickle.add("c");
  trickle.add(null);
  assert.deepEqual(sent, [[["a", "b"], false]]);
  answer();
  await turn();
  assert.deepEqual(sent.slice(1), [[["c"], true]]);
});

test("a failed request does not delay later ones", async () => {
  const trickle = new Trickle();
  const sent: string[] = [];
  trickle.start(async (candidates) => {
    sent.push(...candidates);
    throw new Error("unreachable");
  });
  trickle.add("a");
  await turn();
  trickle.add("b");
  await turn();
  assert.deepEqual(sent, ["a", "b"]);
});

test("nothing is sent after the end", async () => {
  const trickle = new Trickle();
  const sent: string[] = [];
  trickle.start(async (candidates) => void sent.push(...candidates));
  trickle.stop();
  trickle.add("a");
  await turn();
  assert.deepEqual(sent, []);
});
