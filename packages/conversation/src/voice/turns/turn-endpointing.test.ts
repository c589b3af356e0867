import assert from "node:assert/strict";
import { test } from "node:test";
import { endpointingDelayMs, isLikelyWhole, UNKNOWN_RHYTHM, withPause } from "./turn-endpointing.ts";

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

test("a question that does not sound finished waits as long as a statement", () => {
  const after = (text: string, probability: number): number =>
    endpointingDelayMs({ text, probability }, context, UNKNOWN_RHYTHM);
  for (const probability of [0.95, 0.7, 0.2])
    assert.equal(
      after("Could you please send us the bill?", probability),
      after("Please send us the bill", probability),
    );
});

test("a caller who makes long pauses is given more time", () => {
  const text = "I would like to move my appointment";
  assert.ok(delayOf(text, [900]) > delayOf(text) + 300);
  assert.ok(delayOf(text, [900, 300, 300, 300]) < delayOf(text, [900]));
  assert.equal(delayOf(text, [100, 180]), delayOf(text));
  assert.ok(delayOf(text, [60_000]) <= 2000);
});

test("a slow speaker's direct answer is given no extra time", () => {
  assert.equal(delayOf("Yes", [1200]), delayOf("Yes"));
});

test("a last word that the recognizer doubts extends the wait, and more so if it may have been an open one", () => {
  const after = (...lastWord: [text: string, probability: number][]): number => {
    const choices = lastWord.map(([text, probability]) => ({ text, probability }));
    const certainty = { confidence: 0.9, lastWord: choices };
    const said = { text: "I would like to book a table full.", probability: 0.98, certainty };
    return endpointingDelayMs(said, context, UNKNOWN_RHYTHM);
  };
  const sure = after(["full", 0.9], ["for", 0.05]);
  const doubtful = after(["full", 0.7], ["for", 0.2]);
  const open = after(["for", 0.6], ["full", 0.4]);
  const misheard = after(["full", 0.15], ["fool", 0.1]);
  const delays = [sure, misheard, doubtful, open];
  assert.deepEqual(
    delays,
    delays.toSorted((a, b) => a - b),
  );
  assert.ok(sure < 300 && misheard > sure + 300 && doubtful > misheard + 300 && open > doubtful);
});

test("no reply is prepared for a text that was probably cut short", () => {
  const heard = (probability: number) => ({
    text: "I need them",
    certainty: {
      confidence: 0.8,
      lastWord: [
        { text: "the", probability },
        { text: "them", probability: 1 - probability },
      ],
    },
  });
  assert.equal(isLikelyWhole(heard(0.3), context), true);
  assert.equal(isLikelyWhole(heard(0.7), context), false);
});

test("the number of digits ends a number, not the certainty of the last one", () => {
  const certainty = { confidence: 0.4, lastWord: [{ text: "555-236-7891", probability: 0.1 }] };
  const said = { text: "555-236-7891", probability: 0.98 };
  assert.equal(
    endpointingDelayMs({ ...said, certainty }, context, UNKNOWN_RHYTHM),
    endpointingDelayMs(said, context, UNKNOWN_RHYTHM),
  );
});

test("another language gets a delay between the extremes", () => {
  assert.ok(delayOf("Ja", [], "de") > delayOf("Yes") && delayOf("Ja", [], "de") < delayOf("and,"));
});
