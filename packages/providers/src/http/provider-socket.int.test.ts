import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { test, type TestContext } from "node:test";
import { WebSocketServer, type ServerOptions, type WebSocket } from "ws";
import type { ProviderError } from "@parley/conversation";
import { ProviderSocket, type ProviderSocketOptions } from "./provider-socket.ts";

async function startServer(
  context: TestContext,
  onSocket: (socket: WebSocket) => void,
  options: ServerOptions = {},
): Promise<string> {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1", ...options });
  server.on("connection", onSocket);
  await once(server, "listening");
  context.after(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  const address = server.address();
  return typeof address === "object" && address !== null ? `ws://127.0.0.1:${address.port}` : "";
}

const verifyClient: ServerOptions["verifyClient"] = (_info, done) => done(false, 503);

interface Outcome {
  socket: ProviderSocket;
  messages: string[];
  opened: Promise<void>;
  failed: Promise<ProviderError>;
}

/** For servers that answer, however busy the machine. */
const PATIENCE_MS = 10_000;
const PASSED_MS = 100;

function connect(
  context: TestContext,
  url: string,
  timeouts: Partial<Pick<ProviderSocketOptions, "connectTimeoutMs" | "silenceTimeoutMs">> = {},
): Outcome {
  const opened = Promise.withResolvers<void>();
  const failed = Promise.withResolvers<ProviderError>();
  const messages: string[] = [];
  const socket = new ProviderSocket({
    provider: "vendor/model",
    url,
    headers: {},
    connectTimeoutMs: PATIENCE_MS,
    silenceTimeoutMs: PATIENCE_MS,
    ...timeouts,
    onOpen: opened.resolve,
    onMessage: (text) => messages.push(text),
    onFailed: failed.resolve,
  });
  context.after(() => socket.close());
  return { socket, messages, opened: opened.promise, failed: failed.promise };
}

test("a server that accepts the connection and stays silent exceeds the deadline", async (context) => {
  const silent = createServer().listen(0, "127.0.0.1");
  await once(silent, "listening");
  context.after(() => silent.close());
  const address = silent.address();
  assert.ok(typeof address === "object" && address !== null);
  const url = `ws://127.0.0.1:${address.port}`;
  const error = await connect(context, url, { connectTimeoutMs: PASSED_MS }).failed;
  assert.equal(error.kind, "timeout");
  assert.equal(error.isRetryable, true);
});

test("a peer that answers no ping is lost; one that does is not", async (context) => {
  const deaf = await startServer(context, () => {}, { autoPong: false });
  const pinged = Promise.withResolvers<void>();
  let pings = 0;
  const hearing = await startServer(context, (socket) => {
    socket.on("ping", () => ++pings === 3 && pinged.resolve());
  });
  const quiet = connect(context, hearing, { silenceTimeoutMs: 1_000 });
  const error = await connect(context, deaf, { silenceTimeoutMs: PASSED_MS }).failed;
  assert.equal(error.kind, "timeout");
  await pinged.promise;
  assert.equal(quiet.socket.isOpen, true);
});

test("a refusal with a reason is a status that is not retried", async (context) => {
  const url = await startServer(context, (socket) => socket.close(1008, "quota exceeded"));
  const error = await connect(context, url).failed;
  assert.equal(error.kind, "status");
  assert.equal(error.status, 1008);
  assert.equal(error.isRetryable, false);
  assert.match(error.message, /quota exceeded/);
});

test("an overloaded server may be retried", async (context) => {
  const error = await connect(context, await startServer(context, () => {}, { verifyClient })).failed;
  assert.equal(error.status, 503);
  assert.equal(error.isRetryable, true);
});

test("nothing arrives while the socket is paused, and everything afterwards", async (context) => {
  const { promise: accepted, resolve } = Promise.withResolvers<WebSocket>();
  const { socket, messages, opened } = connect(context, await startServer(context, resolve));
  await opened;
  socket.pause();
  const peer = await accepted;
  for (let index = 0; index < 3; index++) peer.send(`${index}`);
  await new Promise((done) => setTimeout(done, 30));
  assert.deepEqual(messages, []);
  socket.resume();
  while (messages.length < 3) await new Promise((done) => setTimeout(done, 5));
  assert.deepEqual(messages, ["0", "1", "2"]);
});

test("a socket closed before it opened reports nothing", async (context) => {
  const { socket, failed } = connect(context, await startServer(context, () => {}));
  socket.close();
  socket.close();
  const outcome = await Promise.race([failed, new Promise((done) => setTimeout(done, 50, "quiet"))]);
  assert.equal(outcome, "quiet");
});
