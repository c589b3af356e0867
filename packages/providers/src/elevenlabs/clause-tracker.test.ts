import assert from "node:assert/strict";
import { test } from "node:test";
import { ClauseTracker, type Alignment } from "./clause-tracker.ts";

function chunk(text: string): [Int16Array, Alignment] {
  const chars = text.split("");
  const alignment = {
    chars,
    startTimesMs: chars.map((_, index) => index * 10),
    durationsMs: chars.map(() => 10),
  };
  return [new Int16Array(chars.length * 80), alignment];
}

test("a chunk that spans two clauses is cut at the start of the second", () => {
  const tracker = new ClauseTracker(8000);
  tracker.add(1, "Yes.");
  tracker.add(2, "We do.");
  const events = tracker.take(...chunk("Yes. We do."));
  assert.deepEqual(
    events.map((event) => (event.type === "audio" ? ["audio", event.clauseId, event.pcm.length] : event)),
    [
      ["audio", 1, 400],
      { type: "words", clauseId: 1, words: [{ text: "Yes.", startMs: 0, endMs: 40 }] },
      { type: "clauseEnded", clauseId: 1 },
      ["audio", 2, 480],
      {
        type: "words",
        clauseId: 2,
        words: [
          { text: "We", startMs: 0, endMs: 20 },
          { text: "do.", startMs: 30, endMs: 60 },
        ],
      },
      { type: "clauseEnded", clauseId: 2 },
    ],
  );
  assert.equal(tracker.isWaiting, false);
});

test("a word that spans two chunks is reported once, as a whole", () => {
  const tracker = new ClauseTracker(8000);
  tracker.add(1, "Parley");
  const words = [...tracker.take(...chunk("Par")), ...tracker.take(...chunk("ley"))].filter(
    (each) => each.type === "words",
  );
  assert.deepEqual(words, [
    { type: "words", clauseId: 1, words: [{ text: "Parley", startMs: 0, endMs: 60 }] },
  ]);
});

test("audio without an alignment belongs to the current clause, which ends with the reply", () => {
  const tracker = new ClauseTracker(8000);
  tracker.add(3, "Hello.");
  const [event] = tracker.take(new Int16Array(160), undefined);
  assert.equal(event?.type === "audio" && event.clauseId, 3);
  assert.deepEqual(tracker.finish(), [{ type: "clauseEnded", clauseId: 3 }]);
});

test("audio after the last character belongs to the last clause", () => {
  const tracker = new ClauseTracker(8000);
  tracker.add(4, "Bye.");
  tracker.take(...chunk("Bye."));
  const [event] = tracker.take(new Int16Array(160), undefined);
  assert.equal(event?.type === "audio" && event.clauseId, 4);
});
