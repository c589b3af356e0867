import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ProviderError,
  type TextToSpeechEvent,
  type TextToSpeechStream,
  type WordTiming,
} from "@parley/conversation";
import type { InferenceClient, InferenceRequestOptions } from "../inference/methods.ts";
import { LocalTextToSpeech } from "./local-text-to-speech.ts";

interface Request {
  text: string;
  signal: AbortSignal | undefined;
  chunk: (value: number) => void;
  finish: () => Promise<void>;
  fail: (error: unknown) => Promise<void>;
}

/** An inference process whose answers come from the test. */
function scriptedClient(requests: Request[]): InferenceClient {
  return {
    async request(method, params, options) {
      assert.equal(method, "synthesize");
      assert.ok("text" in params);
      const { promise, resolve, reject } = Promise.withResolvers<{
        words: WordTiming[];
        isCached: boolean;
      }>();
      const settled = async (): Promise<void> => void (await new Promise((done) => setImmediate(done)));
      const { onChunk }: InferenceRequestOptions<"synthesize"> =
        options as InferenceRequestOptions<"synthesize">;
      requests.push({
        text: params.text,
        signal: options.signal,
        chunk: (value) => onChunk?.({ pcm: Int16Array.of(value) }),
        finish: () => (resolve({ words: [], isCached: false }), settled()),
        fail: (error) => (reject(error), settled()),
      });
      return await promise;
    },
    close() {},
  };
}

function open(): { stream: TextToSpeechStream; requests: Request[]; events: string[] } {
  const requests: Request[] = [];
  const events: string[] = [];
  const onEvent = (event: TextToSpeechEvent): void => {
    events.push(
      event.type === "audio"
        ? `audio ${event.clauseId}:${event.pcm.join()}`
        : event.type === "clauseEnded"
          ? `end ${event.clauseId}`
          : event.type,
    );
  };
  const tts = new LocalTextToSpeech({ client: scriptedClient(requests) });
  const stream = tts.open({
    voice: "kokoro/af_heart",
    sampleRateHz: 8000,
    language: "en",
    speed: 1,
    onEvent,
  });
  return { stream, requests, events };
}

test("two clauses are requested ahead and emitted in order, whichever arrives first", async () => {
  const { stream, requests, events } = open();
  for (const [id, text] of ["one", "two", "three"].entries()) stream.speak(id + 1, text);
  assert.deepEqual(
    requests.map(({ text }) => text),
    ["one", "two"],
  );
  requests[1]?.chunk(20);
  await requests[1]?.finish();
  requests[0]?.chunk(10);
  assert.deepEqual(events, ["audio 1:10"]);
  await requests[0]?.finish();
  assert.deepEqual(events, ["audio 1:10", "end 1", "audio 2:20", "end 2"]);
  assert.deepEqual(
    requests.map(({ text }) => text),
    ["one", "two", "three"],
  );
  stream.end();
  await requests[2]?.finish();
  assert.deepEqual(events.slice(4), ["end 3", "ended"]);
});

test("while paused nothing is requested or emitted", async () => {
  const { stream, requests, events } = open();
  stream.speak(1, "one");
  stream.pause();
  stream.speak(2, "two");
  requests[0]?.chunk(10);
  await requests[0]?.finish();
  assert.deepEqual([requests.length, events], [1, []]);
  stream.resume();
  assert.deepEqual(events, ["audio 1:10", "end 1"]);
  assert.equal(requests.length, 2);
});

test("closing aborts requests and drops the rest", async () => {
  const { stream, requests, events } = open();
  stream.speak(1, "one");
  stream.close();
  stream.close();
  stream.speak(2, "two");
  assert.equal(requests[0]?.signal?.aborted, true);
  requests[0]?.chunk(10);
  await requests[0]?.fail(new Error("aborted"));
  assert.deepEqual([requests.length, events], [1, []]);
});

test("a failure is reported once, and the rest is dropped", async () => {
  const { stream, requests, events } = open();
  stream.speak(1, "one");
  stream.speak(2, "two");
  const overloaded = {
    provider: "local/kokoro",
    kind: "status",
    message: "overloaded",
    isRetryable: true,
  } as const;
  await requests[0]?.fail(new ProviderError(overloaded));
  await requests[1]?.fail(new Error("aborted"));
  stream.end();
  assert.deepEqual(events, ["failed"]);
});
