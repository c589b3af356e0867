import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { test } from "node:test";
import { DeepgramStream } from "./deepgram-stream.ts";

test("audio that waits longer than two seconds for the connection is dropped and counted", async (context) => {
  const silent = createServer().listen(0, "127.0.0.1");
  await once(silent, "listening");
  const address = silent.address();
  assert.ok(typeof address === "object" && address !== null);
  const stream = new DeepgramStream({
    provider: "deepgram/nova-3",
    url: `ws://127.0.0.1:${address.port}/v1/listen`,
    apiKey: "key",
    sampleRateHz: 8000,
    connectTimeoutMs: 5_000,
    silenceTimeoutMs: 5_000,
    onEvent: () => {},
  });
  context.after(() => {
    stream.close();
    silent.close();
  });
  for (let atMs = 0; atMs < 5_000; atMs += 20) stream.write(new Int16Array(160));
  assert.equal(stream.droppedMs, 3_000);
});
