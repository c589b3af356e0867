import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { test } from "node:test";
import { createDeadlineFetch } from "./deadline-fetch.ts";

test("closing ends a connection that is still being set up", async (context) => {
  // Accepts the connection and never answers the TLS handshake.
  const server = createServer((socket) => void socket.resume()).listen(0, "127.0.0.1");
  context.after(() => server.close());
  await once(server, "listening");
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  const silent = createDeadlineFetch({
    provider: "silent",
    connectTimeoutMs: 600_000,
    firstByteTimeoutMs: 600_000,
    betweenChunksTimeoutMs: 600_000,
  });
  const connected = once(server, "connection");
  const answer = assert.rejects(silent.fetch(`https://127.0.0.1:${address.port}/`));
  const [socket]: Socket[] = await connected;
  assert.ok(socket !== undefined);
  const ended = once(socket, "close");
  await silent.close();
  await Promise.all([answer, ended]);
});
