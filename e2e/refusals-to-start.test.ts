import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";
import { test } from "node:test";
import { failToStart, freeTcpPort } from "./support/platform.ts";

/** One clear line and a non-zero exit. */
async function assertRefuses(env: Readonly<Record<string, string>>, message: RegExp): Promise<void> {
  const { status, stderr } = await failToStart(env);
  const lines = stderr.trim().split("\n");
  assert.equal(status, 1, stderr);
  assert.equal(lines.length, 1, stderr);
  assert.match(lines[0] ?? "", /^Parley cannot start: /);
  assert.match(lines[0] ?? "", message);
}

test("an HTTP port in use is named in one line", async () => {
  const server = createServer().listen(0, "0.0.0.0");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  try {
    await assertRefuses({ PARLEY_HTTP_PORT: String(port) }, new RegExp(`HTTP port ${port} .* in use`));
  } finally {
    server.close();
  }
});

test("a SIP port in use is named in one line", async () => {
  const socket = createSocket("udp4");
  socket.bind(0, "0.0.0.0");
  await once(socket, "listening");
  const { port } = socket.address();
  try {
    await assertRefuses({ PARLEY_SIP_PORT: String(port) }, new RegExp(`SIP port ${port}/udp .* in use`));
  } finally {
    socket.close();
  }
});

test("a bad variable is named in one line", async () => {
  await assertRefuses({ PARLEY_RTP_PORTS: "plenty" }, /PARLEY_RTP_PORTS/);
});

test("a database that cannot be reached is named in one line, its password not", async () => {
  const port = await freeTcpPort();
  const { status, stderr } = await failToStart({
    DATABASE_URL: `postgres://parley:secret-password@127.0.0.1:${port}/parley`,
    PARLEY_ENCRYPTION_KEY: "00".repeat(32),
  });
  assert.equal(status, 1, stderr);
  assert.equal(stderr.trim().split("\n").length, 1, stderr);
  assert.match(stderr, new RegExp(`^Parley cannot start: .*database.*127\\.0\\.0\\.1:${port}`));
  assert.doesNotMatch(stderr, /secret-password/);
});
