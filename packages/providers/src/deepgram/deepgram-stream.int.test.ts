import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { test } from "node:test";
import { waitFor } from "@parley/testing";
import { WebSocketServer } from "ws";
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

test("between utterances audio goes out in long messages, and at once when an utterance begins", async (context) => {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await once(server, "listening");
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  const messagesMs: number[] = [];
  server.on("connection", (socket) =>
    socket.on("message", (data, isBinary) => {
      if (isBinary && Buffer.isBuffer(data)) messagesMs.push(data.length / 16);
    }),
  );
  const connected = once(server, "connection");
  const stream = new DeepgramStream({
    provider: "deepgram/nova-3",
    url: `ws://127.0.0.1:${address.port}/v1/listen`,
    apiKey: "key",
    sampleRateHz: 8000,
    connectTimeoutMs: 5_000,
    silenceTimeoutMs: 5_000,
    onEvent: () => {},
    now: () => 0,
  });
  context.after(() => {
    stream.close();
    server.close();
  });
  const write = (ms: number): void => {
    for (let writtenMs = 0; writtenMs < ms; writtenMs += 20) stream.write(new Int16Array(160));
  };
  await connected;
  // The client's end is open a moment later; what was written before goes out then.
  write(20);
  await waitFor("what was written while connecting", () => messagesMs.length === 1);
  write(1_240);
  stream.startUtterance(300);
  write(200);
  stream.endUtterance();
  write(500);
  await waitFor("seven messages", () => messagesMs.length === 7);
  assert.deepEqual(messagesMs, [20, 500, 500, 240, 100, 100, 500]);
});
