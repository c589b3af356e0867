import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { test } from "node:test";
import { systemClock } from "./clock.ts";

const STALL_MS = 300;

/** Blocks the event loop so that it runs overdue timers next, before it reads its sockets. */
async function stall(before: () => void = () => undefined): Promise<void> {
  await new Promise<void>((resolve) => {
    setImmediate(() => {
      before();
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STALL_MS);
      resolve();
    });
  });
}

test("after a stall of the event loop, data that arrived in time is read before its timeout fires", async () => {
  const socket = createSocket("udp4");
  await once(socket.bind(0, "127.0.0.1"), "listening");
  const log: string[] = [];
  const passed = Promise.withResolvers<void>();
  systemClock.schedule(STALL_MS / 2, () => {
    log.push("deadline");
    passed.resolve();
  });
  socket.on("message", () => void log.push("answer"));
  // A connected socket sends at once.
  const peer = createSocket("udp4");
  peer.connect(socket.address().port, "127.0.0.1");
  await once(peer, "connect");
  await stall(() => peer.send("answer"));
  await passed.promise;
  socket.close();
  peer.close();
  assert.deepEqual(log, ["answer", "deadline"]);
});

test("a timer that is canceled after it came due during a stall does not fire", async () => {
  const fired: string[] = [];
  const late = systemClock.schedule(STALL_MS / 2, () => void fired.push("late"));
  const done = Promise.withResolvers<void>();
  // Due after the other timer, and before the stall ends: it runs between the other timer's due time and its
  // callback.
  setTimeout(
    () => {
      late.cancel();
      setTimeout(done.resolve, 10);
    },
    STALL_MS / 2 + 10,
  );
  await stall();
  await done.promise;
  assert.deepEqual(fired, []);
});
