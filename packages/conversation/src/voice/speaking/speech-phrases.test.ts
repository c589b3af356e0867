import assert from "node:assert/strict";
import { test } from "node:test";
import type { TextToSpeech } from "../../providers/text-to-speech.ts";
import { PhraseBook } from "./speech-phrases.ts";

const style = { sampleRateHz: 8000, language: "en", speed: 1 } as const;

/** Voice that speaks each text after a turn of the event loop and records the order. */
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

test("the phrases of the latest call are synthesized before those of earlier calls", async () => {
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
