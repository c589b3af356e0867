import assert from "node:assert/strict";
import { test } from "node:test";
import type { TextToSpeech } from "../../providers/text-to-speech.ts";
import { PhraseBook } from "./speech-phrases.ts";

const style = { sampleRateHz: 8000, language: "en", speed: 1 } as const;

/** Speaks each text after a turn of the event loop, and notes the order. */
function createVoice(spoken: string[]): TextToSpeech {
  return {
    name: "test/voice",
    open: ({ onEvent }) => ({
      speak: (clauseId, text) => {
        spoken.push(text);
        setImmediate(() => {
          onEvent({ type: "audio", clauseId, pcm: new Int16Array(80) });
          onEvent({ type: "ended" });
        });
      },
      end: () => {},
      pause: () => {},
      resume: () => {},
      close: () => {},
    }),
  };
}

test("phrases that a call asks for are made before those that were asked for earlier", async () => {
  const spoken: string[] = [];
  const tts = createVoice(spoken);
  const book = new PhraseBook();
  const early = book.prepare([{ tts, voice: "slow" }], style, ["one", "two", "three"]);
  const call = book.prepare([{ tts, voice: "own" }], style, ["wait", "sorry"]);
  await call;
  assert.notEqual(book.find([{ tts, voice: "own" }], style, "wait"), undefined);
  await early;
  assert.deepEqual(spoken, ["one", "wait", "sorry", "two", "three"]);
  book.close();
});
