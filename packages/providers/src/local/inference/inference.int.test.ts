import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createConnection, createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { ProviderError } from "@parley/conversation";
import { connectInference } from "./client.ts";
import { FrameReader, encodeFrame } from "./frames.ts";
import { createInProcessInference } from "./in-process-client.ts";
import type { InferenceClient, InferenceHandlers } from "./methods.ts";
import { serveInference } from "./server.ts";

let folder: string;
let socketPath: string;
let closers: (() => unknown)[];

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "parley-inference-"));
  socketPath =
    process.platform === "win32" ? `\\\\.\\pipe\\${path.basename(folder)}` : path.join(folder, "socket");
  closers = [];
});

afterEach(async () => {
  for (const close of closers.toReversed()) await close();
  await rm(folder, { recursive: true, force: true });
});

async function overSocket(handlers: InferenceHandlers): Promise<InferenceClient> {
  const server = await serveInference({ path: socketPath, handlers });
  closers.push(() => server.close());
  return connect();
}

function connect(): InferenceClient {
  const client = connectInference({ path: socketPath });
  closers.push(() => client.close());
  return client;
}

function inProcess(handlers: InferenceHandlers): Promise<InferenceClient> {
  const client = createInProcessInference(handlers);
  closers.push(() => client.close());
  return Promise.resolve(client);
}

/** Runs until aborted and records it. */
function createEndless(): { handlers: InferenceHandlers; started: Promise<void>; aborted: Promise<void> } {
  const started = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<void>();
  const embed: InferenceHandlers["embed"] = (_params, { signal }) => {
    started.resolve();
    return new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => {
        aborted.resolve();
        reject(new Error("aborted"));
      });
    });
  };
  return { handlers: { embed }, started: started.promise, aborted: aborted.promise };
}

const synthesis = {
  text: "Hello.",
  voice: "kokoro/af_heart",
  speed: 1,
  sampleRateHz: 8000,
  priority: "turn",
} as const;

for (const [name, open] of [
  ["over a socket", overSocket],
  ["in process", inProcess],
] as const) {
  describe(`an inference client ${name}`, () => {
    test("receives chunks in order and then the result", async () => {
      const client = await open({
        synthesize: (_params, { emit }) => {
          for (let value = 0; value < 50; value += 1) emit({ pcm: new Int16Array(8000).fill(value) });
          return Promise.resolve({ words: [], isCached: false });
        },
      });
      const values: (number | undefined)[] = [];
      await client.request("synthesize", synthesis, {
        deadlineMs: 5000,
        onChunk: ({ pcm }) => {
          assert.equal(pcm.length, 8000);
          values.push(pcm.at(-1));
        },
      });
      assert.deepEqual(
        values,
        Array.from({ length: 50 }, (_, value) => value),
      );
    });

    test("transfers typed arrays unchanged, including views into larger buffers", async () => {
      const client = await open({
        transcribe: ({ pcm, streamId }) => Promise.resolve({ text: `${streamId}: ${pcm.join(" ")}` }),
      });
      const pcm = Int16Array.of(1, -2, 3, -32768, 5).subarray(1, 4);
      const params = { pcm, sampleRateHz: 8000, streamId: "a", isFinal: true };
      const { text } = await client.request("transcribe", params, { deadlineMs: 5000 });
      assert.equal(text, "a: -2 3 -32768");
    });

    test("rejects with the handler's ProviderError, and with one for an unknown method", async () => {
      const error = {
        provider: "local/x",
        kind: "status",
        message: "broken",
        status: 503,
        isRetryable: true,
      } as const;
      const client = await open({ embed: () => Promise.reject(new ProviderError(error)) });
      const options = { deadlineMs: 5000 };
      await assert.rejects(client.request("embed", { texts: [] }, options), {
        ...error,
        name: "ProviderError",
        message: "local/x: broken",
      });
      await assert.rejects(client.request("synthesize", synthesis, options), {
        name: "ProviderError",
        message: "local/inference: no model serves synthesize",
        isRetryable: false,
      });
    });

    test("aborts the handler when its caller aborts, and rejects with the caller's reason", async () => {
      const { handlers, started, aborted } = createEndless();
      const client = await open(handlers);
      const controller = new AbortController();
      const options = { deadlineMs: 5000, signal: controller.signal };
      const request = client.request("embed", { texts: [] }, options);
      await started;
      controller.abort(new Error("barge-in"));
      await assert.rejects(request, /barge-in/);
      await aborted;
    });

    test("rejects with a timeout if no reply arrives, and aborts the handler", async () => {
      const { handlers, aborted } = createEndless();
      const client = await open(handlers);
      await assert.rejects(client.request("embed", { texts: [] }, { deadlineMs: 50 }), {
        name: "ProviderError",
        kind: "timeout",
        isRetryable: true,
      });
      await aborted;
    });

    test("rejects requests under way when it is closed", async () => {
      const { handlers, started, aborted } = createEndless();
      const client = await open(handlers);
      const request = client.request("embed", { texts: [] }, { deadlineMs: 5000 });
      await started;
      client.close();
      client.close();
      await assert.rejects(request, { name: "ProviderError", kind: "connection" });
      await aborted;
    });
  });
}

const embedNothing: InferenceHandlers = { embed: () => Promise.resolve({ vectors: [] }) };

test("a request made before the server listens is answered once it does", async () => {
  const client = connect();
  const request = client.request("embed", { texts: [] }, { deadlineMs: 5000 });
  const server = await serveInference({ path: socketPath, handlers: embedNothing });
  closers.push(() => server.close());
  assert.deepEqual(await request, { vectors: [] });
});

test("without a server a request fails at its deadline and leaves nothing waiting", async () => {
  const client = connect();
  await assert.rejects(client.request("embed", { texts: [] }, { deadlineMs: 50 }), { kind: "timeout" });
});

test("requests under way reject as retryable when the server ends, and the next server is found", async () => {
  const { handlers, started } = createEndless();
  const first = await serveInference({ path: socketPath, handlers });
  closers.push(() => first.close());
  const client = connect();
  const lost = client.request("embed", { texts: [] }, { deadlineMs: 5000 });
  await started;
  const rejected = assert.rejects(lost, { name: "ProviderError", kind: "connection", isRetryable: true });
  await first.close();
  await rejected;
  const second = await serveInference({ path: socketPath, handlers: embedNothing });
  closers.push(() => second.close());
  assert.deepEqual(await client.request("embed", { texts: [] }, { deadlineMs: 5000 }), { vectors: [] });
});

test("a client that disconnects has its handlers aborted", async () => {
  const { handlers, started, aborted } = createEndless();
  const server = await serveInference({ path: socketPath, handlers });
  closers.push(() => server.close());
  const socket = createConnection(socketPath);
  socket.write(encodeFrame({ type: "request", id: 1, method: "embed", params: { texts: [] } }));
  await started;
  socket.destroy();
  await aborted;
});

test("garbage and an oversized frame end only their own connection", async () => {
  const client = await overSocket(embedNothing);
  for (const bytes of [Buffer.from("GET / HTTP/1.1\r\n\r\n"), Buffer.from([0, 0, 0, 3, 1, 2, 3])]) {
    const socket = createConnection(socketPath);
    socket.on("error", () => undefined);
    socket.write(bytes);
    await once(socket, "close");
  }
  assert.deepEqual(await client.request("embed", { texts: [] }, { deadlineMs: 5000 }), { vectors: [] });
});

test("a server that sends garbage fails the request instead of the process", async () => {
  const server = createServer((socket) => socket.end(Buffer.alloc(64, 0xff)));
  server.listen(socketPath);
  await once(server, "listening");
  closers.push(() => server.close());
  const client = connect();
  await assert.rejects(client.request("embed", { texts: [] }, { deadlineMs: 2000 }), { kind: "connection" });
});

test("frames are found at any split of the stream", () => {
  const messages = [1, 2, 3].map((id) => ({ type: "result" as const, id, result: "x".repeat(id * 100) }));
  const bytes = Buffer.concat(messages.map((message) => encodeFrame(message)));
  for (const size of [1, 3, 7, 100, bytes.length]) {
    const reader = new FrameReader<unknown>();
    const read: unknown[] = [];
    for (let at = 0; at < bytes.length; at += size) read.push(...reader.push(bytes.subarray(at, at + size)));
    assert.deepEqual(read, messages);
  }
});
