import assert from "node:assert/strict";
import { test } from "node:test";
import { createTranscribeHandler } from "./handler.ts";
import type { Moonshine } from "./model.ts";

test("the last text of a call is the draft of its next one only", async () => {
  const drafts: (readonly number[] | undefined)[] = [];
  const model: Moonshine = {
    name: "test",
    transcribe: (pcm, _signal, draft) => {
      drafts.push(draft);
      return Promise.resolve({ text: "words", tokens: [pcm.length] });
    },
    warmUp: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
  const transcribe = createTranscribeHandler(model);
  const context = { signal: new AbortController().signal, emit: () => undefined };
  const ask = (samples: number, streamId: string) =>
    transcribe({ pcm: new Int16Array(samples), sampleRateHz: 16_000, streamId, isFinal: true }, context);
  assert.deepEqual(await ask(100, "a"), { text: "words" });
  await ask(200, "b");
  await ask(300, "a");
  await ask(400, "a");
  assert.deepEqual(drafts, [undefined, undefined, [100], [300]]);
});
