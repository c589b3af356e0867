import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { test } from "node:test";
import { DeepgramStream } from "./deepgram-stream.ts";

test("audio that waits longer than two seconds for the connection is dropped and counted; a replay is not", async (context) => {
  const silent = createServer().listen(0, "127.0.0.1");
  await once(silent, "listening");
  const address = silent.address();
  assert.ok(typeof address === "object" && address !== null);
  let nowMs = 0;
  const stream = new DeepgramStream({
    provider: "deepgram/nova-3",
    url: `ws://127.0.0.1:${address.port}/v1/listen`,
    apiKey: "key",
    sampleRateHz: 8000,
    connectTimeoutMs: 5_000,
    silenceTimeoutMs: 5_000,
    onEvent: () => {},
    now: () => nowMs,
  });
  context.after(() => {
    stream.close();
    silent.close();
  });
  for (let replayedMs = 0; replayedMs < 10_000; replayedMs += 20) stream.write(new Int16Array(160));
  assert.equal(stream.droppedMs, 0);
  for (; nowMs < 5_000; nowMs += 20) stream.write(new Int16Array(160));
  assert.equal(stream.droppedMs, 13_000);
});
