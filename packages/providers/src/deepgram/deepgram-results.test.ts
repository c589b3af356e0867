import assert from "node:assert/strict";
import { test } from "node:test";
import { readResults, UtteranceTranscript } from "./deepgram-results.ts";

function results(words: readonly Record<string, unknown>[]) {
  const transcript = words.map(({ word }) => word).join(" ");
  const read = readResults({
    type: "Results",
    is_final: true,
    start: 0,
    duration: 2,
    channel: { alternatives: [{ transcript, confidence: 0.9, words }] },
  });
  assert.ok(read !== undefined);
  return read;
}

test("Deepgram's confidence in the words and in the last one comes with the text", () => {
  const transcript = new UtteranceTranscript();
  transcript.add(results([{ word: "a", punctuated_word: "A", start: 0, end: 0.2, confidence: 1 }]));
  transcript.add(
    results([{ word: "table", punctuated_word: "table.", start: 0.3, end: 1, confidence: 0.64 }]),
  );
  assert.deepEqual(transcript.heard, {
    text: "A table.",
    certainty: { confidence: 0.8, lastWord: [{ text: "table", probability: 0.64 }] },
  });
});

test("no confidence is reported if a word comes without one", () => {
  const transcript = new UtteranceTranscript();
  transcript.add(results([{ word: "yes", start: 0, end: 0.2, confidence: 0.9 }]));
  transcript.add(results([{ word: "please", start: 0.3, end: 1, confidence: "high" }]));
  assert.deepEqual(transcript.heard, { text: "yes please" });
  assert.deepEqual(new UtteranceTranscript().heard, { text: "" });
});
