import assert from "node:assert/strict";
import { test } from "node:test";
import type { RtpPacket } from "./packet.ts";
import { SourceLatch } from "./source-latch.ts";

const SIGNALED = { address: "192.0.2.1", port: 4000 };
const NAT = { address: "198.51.100.7", port: 61000 };
const STRANGER = { address: "203.0.113.9", port: 5555 };

function packet(ssrc: number, sequenceNumber: number): RtpPacket {
  return { marker: false, payloadType: 0, sequenceNumber, timestamp: 0, ssrc, payload: new Uint8Array() };
}

function latchedTo(source: { address: string; port: number }): SourceLatch {
  const latch = new SourceLatch();
  latch.signal(SIGNALED, 0);
  assert.equal(latch.accept(source, packet(1, 65535), 1000), true);
  return latch;
}

test("media goes to the address of the SDP until a packet arrives, then to its source", () => {
  const latch = new SourceLatch();
  latch.signal(SIGNALED, 0);
  assert.deepEqual(latch.destination, SIGNALED);
  assert.equal(latch.accept(NAT, packet(1, 1), 5), true);
  assert.equal(latch.destination?.address, NAT.address);
  assert.equal(latch.destination?.port, NAT.port);
});

test("a stranger cannot take over an active stream", () => {
  const latch = latchedTo(NAT);
  for (let atMs = 1020; atMs < 20_000; atMs += 20) {
    assert.equal(latch.accept(NAT, packet(1, (atMs / 20) & 0xffff), atMs), true);
    assert.equal(latch.accept(STRANGER, packet(2, 7), atMs + 10), false);
  }
  assert.equal(latch.destination?.address, NAT.address);
});

test("the address of the SDP wins over the latched source", () => {
  const latch = latchedTo(STRANGER);
  assert.equal(latch.accept(SIGNALED, packet(2, 7), 1001), true);
  assert.equal(latch.accept(STRANGER, packet(1, 30_000), 1002), false);
  assert.equal(latch.destination?.port, SIGNALED.port);
});

test("a new source with continuing SSRC and sequence numbers is followed, also over the wrap", () => {
  const latch = latchedTo(NAT);
  const moved = { ...NAT, port: 61001 };
  assert.equal(latch.accept(moved, packet(1, 3), 1020), true);
  assert.equal(latch.destination?.port, 61001);
});

test("the right SSRC with other sequence numbers is not enough", () => {
  const latch = latchedTo(NAT);
  assert.equal(latch.accept(STRANGER, packet(1, 65535), 1020), false);
  assert.equal(latch.accept(STRANGER, packet(1, 200), 1020), false);
});

test("a source that was silent for 3 s may be replaced", () => {
  const latch = latchedTo(NAT);
  assert.equal(latch.accept(STRANGER, packet(2, 1), 3999), false);
  assert.equal(latch.accept(STRANGER, packet(2, 2), 4000), true);
});

const MOVED = { address: "192.0.2.2", port: 4002 };

test("a changed SDP takes effect at once, and packets from the old source do not reverse it", () => {
  const latch = latchedTo(NAT);
  const newNat = { address: "198.51.100.8", port: 62000 };
  latch.signal(MOVED, 1100);
  for (let atMs = 1100; atMs < 1500; atMs += 20) {
    assert.equal(latch.accept(NAT, packet(1, atMs / 20), atMs), true);
    assert.deepEqual(latch.destination, MOVED);
  }
  assert.equal(latch.accept(newNat, packet(3, 50), 1500), true);
  assert.equal(latch.destination?.port, newNat.port);
  assert.equal(latch.accept(NAT, packet(1, 76), 1510), false);
  assert.equal(latch.accept(STRANGER, packet(4, 1), 1520), false);
});

test("a peer that sends from the old source for 2 s after a changed SDP is sent to there", () => {
  const latch = latchedTo(NAT);
  latch.signal(MOVED, 1100);
  assert.equal(latch.accept(NAT, packet(1, 1), 3099), true);
  assert.deepEqual(latch.destination, MOVED);
  assert.equal(latch.accept(NAT, packet(1, 2), 3100), true);
  assert.equal(latch.destination?.port, NAT.port);
});

test("a description that returns to an address before it latches that address again at once", () => {
  const latch = latchedTo(SIGNALED);
  latch.signal(MOVED, 1100);
  latch.signal(SIGNALED, 1200);
  assert.equal(latch.accept(SIGNALED, packet(1, 1), 1210), true);
  assert.deepEqual(latch.destination?.port, SIGNALED.port);
});

test("a hold without an address keeps the source, also after the call is resumed", () => {
  const latch = latchedTo(NAT);
  latch.signal(undefined, 1100);
  latch.signal({ ...SIGNALED }, 1200);
  assert.equal(latch.destination?.address, NAT.address);
  assert.equal(latch.accept(STRANGER, packet(2, 1), 1220), false);
});

test("an SDP with the same address changes nothing", () => {
  const latch = latchedTo(NAT);
  latch.signal({ ...SIGNALED }, 1100);
  assert.equal(latch.destination?.address, NAT.address);
  assert.equal(latch.accept(STRANGER, packet(4, 1), 1120), false);
});

test("the first SDP after the first packets keeps their source", () => {
  const latch = new SourceLatch();
  latch.accept(NAT, packet(1, 1), 0);
  latch.signal(SIGNALED, 10);
  assert.equal(latch.destination?.address, NAT.address);
});
