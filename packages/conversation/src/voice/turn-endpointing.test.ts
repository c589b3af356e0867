import assert from "node:assert/strict";
import { test } from "node:test";
import { endpointingDelayMs, UNKNOWN_RHYTHM, withPause } from "./turn-endpointing.ts";

const context = { language: "en", agentText: "Would you like to book it?" };

function delayOf(text: string, pausesMs: readonly number[] = [], language = "en"): number {
  const rhythm = pausesMs.reduce(withPause, UNKNOWN_RHYTHM);
  return endpointingDelayMs({ text, probability: undefined }, { ...context, language }, rhythm);
}

test("the more surely the caller has finished, the sooner the turn ends", () => {
  const delays = ["Yes", "I would like to move my appointment", "five five five two", "I need to,"].map(
    (text) => delayOf(text),
  );
  assert.deepEqual(
    delays,
    delays.toSorted((a, b) => a - b),
  );
  assert.equal(new Set(delays).size, delays.length);
});

test("a caller who pauses for long is waited for longer", () => {
  const text = "I would like to move my appointment";
  assert.ok(delayOf(text, [900]) > delayOf(text) + 300);
  assert.ok(delayOf(text, [900, 300, 300, 300]) < delayOf(text, [900]));
  assert.equal(delayOf(text, [100, 180]), delayOf(text));
  assert.ok(delayOf(text, [60_000]) <= 2000);
});

test("a slow speaker's answer is not waited for longer", () => {
  assert.equal(delayOf("Yes", [1200]), delayOf("Yes"));
});

test("another language gets a delay between the extremes", () => {
  assert.ok(delayOf("Ja", [], "de") > delayOf("Yes") && delayOf("Ja", [], "de") < delayOf("and,"));
});
