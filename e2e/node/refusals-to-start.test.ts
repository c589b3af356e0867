import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";
import { text as readText } from "node:stream/consumers";
import { test } from "node:test";
import { freePort } from "@parley/testing";
import { failToStart } from "../support/platform/platform.ts";

/** Expects one line on stderr and a non-zero exit. Returns the contents of the data directory. */
async function assertRefuses(env: Readonly<Record<string, string>>, message: RegExp): Promise<string[]> {
  const { status, stderr, written } = await failToStart(env);
  const lines = stderr.trim().split("\n");
  assert.equal(status, 1, stderr);
  assert.equal(lines.length, 1, stderr);
  assert.match(lines[0] ?? "", /^Parley cannot start: /);
  assert.match(lines[0] ?? "", message);
  return written;
}

test("an HTTP port in use is named in one line, before a database is made", async () => {
  const server = createServer().listen(0, "0.0.0.0");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  try {
    const message = new RegExp(`HTTP port ${port} \\(PARLEY_HTTP_PORT\\) is in use`);
    assert.deepEqual(await assertRefuses({ PARLEY_HTTP_PORT: String(port) }, message), []);
  } finally {
    server.close();
  }
});

test("a SIP port in use is named in one line, before a database is made", async () => {
  const socket = createSocket("udp4");
  socket.bind(0, "0.0.0.0");
  await once(socket, "listening");
  const { port } = socket.address();
  try {
    const message = new RegExp(`SIP port ${port}/udp \\(PARLEY_SIP_PORT\\) is in use`);
    assert.deepEqual(await assertRefuses({ PARLEY_SIP_PORT: String(port) }, message), []);
  } finally {
    socket.close();
  }
});

test("a bad variable is named in one line", async () => {
  await assertRefuses({ PARLEY_RTP_PORTS: "plenty" }, /PARLEY_RTP_PORTS/);
});

test("a folder that cannot be written is named with its variable", async () => {
  await assertRefuses(
    { PARLEY_DATA_DIR: "/sys/parley" },
    /\/sys\/parley cannot be written \(E[A-Z]+\): .*PARLEY_DATA_DIR/,
  );
  await assertRefuses(
    { PARLEY_OBJECT_STORAGE_FOLDER: "/sys/objects" },
    /\/sys\/objects .*PARLEY_OBJECT_STORAGE_FOLDER/,
  );
  await assertRefuses({ PARLEY_MODELS_DIR: "/sys/models" }, /\/sys\/models .*PARLEY_MODELS_DIR/);
});

test("an unreachable database is named in one line without its password", async () => {
  const port = await freePort();
  const { status, stderr } = await failToStart({
    DATABASE_URL: `postgres://parley:secret-password@127.0.0.1:${port}/parley`,
    PARLEY_ENCRYPTION_KEY: "00".repeat(32),
  });
  assert.equal(status, 1, stderr);
  assert.equal(stderr.trim().split("\n").length, 1, stderr);
  assert.match(stderr, new RegExp(`^Parley cannot start: .*database.*127\\.0\\.0\\.1:${port}`));
  assert.doesNotMatch(stderr, /secret-password/);
});

test("the demo and the cluster also name a folder that cannot be written", async () => {
  for (const program of ["apps/server/src/demo/demo.ts", "tools/cluster.ts"]) {
    const child = spawn(process.execPath, [program], {
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...process.env, PARLEY_DATA_DIR: "/sys/parley" },
    });
    const [status, stderr] = await Promise.all([
      once(child, "close").then(([code]: unknown[]) => code),
      readText(child.stderr),
    ]);
    assert.equal(status, 1, stderr);
    assert.match(
      stderr,
      /^The \w+ cannot \w+: the folder \/sys\/parley\S* cannot be written .*PARLEY_DATA_DIR.*\n$/,
    );
  }
});

/** Runs a command in a mount namespace of its own, in which the data directory is a disk of this size. */
const onDiskOf = (size: string) => [
  "unshare",
  "-rm",
  "sh",
  "-c",
  `mount -t tmpfs -o size=${size} tmpfs "$PARLEY_DATA_DIR" && exec "$0" "$@"`,
];
const canMount = spawnSync("unshare", ["-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).status === 0;

test(
  "a full disk is named with its folder and variable",
  { skip: canMount ? false : "this user cannot mount a small disk" },
  async () => {
    for (const size of ["1m", "40m"]) {
      const { status, stderr } = await failToStart({}, onDiskOf(size));
      assert.equal(status, 1, stderr);
      assert.equal(stderr.trim().split("\n").length, 1, stderr);
      assert.match(stderr, /^Parley cannot start: the disk of \/\S+ is full .*PARLEY_DATA_DIR/);
    }
  },
);
