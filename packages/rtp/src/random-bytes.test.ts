import assert from "node:assert/strict";
import { test } from "node:test";
import { DtmfReceiver } from "./dtmf/dtmf-receiver.ts";
import { JitterBuffer } from "./jitter-buffer.ts";
import { parseRtp, writeRtp, type RtpPacket } from "./packet.ts";
import { SourceLatch } from "./source-latch.ts";
import { seededRandom } from "@parley/testing";

const DATAGRAMS = 100_000;
/** The documented capacity of the jitter buffer. */
const CAPACITY = 128;

/** A valid packet of one source with damage: bytes changed, cut off or added. */
function damaged(index: number, random: () => number): Uint8Array {
  const datagram = writeRtp({
    marker: random() < 0.1,
    payloadType: random() < 0.3 ? 101 : 0,
    sequenceNumber: index & 0xffff,
    timestamp: (index * 160) >>> 0,
    ssrc: 1,
    payload: Uint8Array.from({ length: Math.floor(random() * 16) }, () => random() * 256),
  });
  for (let flips = Math.floor(random() * 4); flips > 0; flips--) {
    datagram[Math.floor(random() * datagram.length)] = random() * 256;
  }
  const kind = random();
  if (kind < 0.2) {
    return datagram.subarray(0, Math.floor(random() * datagram.length));
  }
  return kind < 0.25 ? Buffer.concat([datagram, Buffer.alloc(Math.floor(random() * 60_000))]) : datagram;
}

function noise(random: () => number): Uint8Array {
  const bytes = Uint8Array.from({ length: Math.floor(random() * 48) }, () => random() * 256);
  // Otherwise only every fourth datagram would pass the version check.
  bytes[0] = random() < 0.7 ? 0x80 | ((bytes[0] ?? 0) & 0x3f) : (bytes[0] ?? 0);
  return bytes;
}

for (const [name, make] of [
  ["noise", (_index: number, random: () => number) => noise(random)],
  ["damaged packets", damaged],
] as const) {
  test(`${DATAGRAMS} datagrams of ${name} never throw and do not accumulate`, () => {
    const random = seededRandom(42);
    let digits = 0;
    const dtmf = new DtmfReceiver({ clockRateHz: 8000, onDigit: () => digits++ });
    const latch = new SourceLatch();
    const jitterBuffer = new JitterBuffer({ clockRateHz: 8000, samplesIn: (payload) => payload.length });
    let parsed = 0;
    let pulled = 0;
    for (let i = 0; i < DATAGRAMS; i++) {
      const packet: RtpPacket | undefined = parseRtp(make(i, random));
      const atMs = i * 5 + random() * 40;
      if (packet !== undefined) {
        parsed++;
        assert.ok(packet.payload.length <= 60_100);
        latch.accept({ address: "192.0.2.1", port: packet.payloadType }, packet, atMs);
        dtmf.receive(packet, atMs);
        jitterBuffer.push(packet, atMs);
      }
      // Less often than packets arrive, so that the buffer is full most of the time.
      if (random() < 0.2) {
        pulled += jitterBuffer.pull(atMs).kind === "frame" ? 1 : 0;
      }
    }
    assert.ok(parsed > DATAGRAMS / 30, `${parsed} parsed`);
    assert.ok(pulled > 0);
    assert.ok(digits <= parsed);
    let buffered = 0;
    for (let i = 0; i < 10 * CAPACITY; i++) {
      buffered += jitterBuffer.pull(DATAGRAMS * 5 + 100 + i * 20).kind === "frame" ? 1 : 0;
    }
    assert.ok(buffered <= CAPACITY, `${buffered} buffered`);
  });
}

test("a stream plays normally after a flood of noise", () => {
  const random = seededRandom(7);
  const jitterBuffer = new JitterBuffer({ clockRateHz: 8000, samplesIn: (payload) => payload.length });
  for (let i = 0; i < 10_000; i++) {
    const packet = parseRtp(noise(random));
    if (packet !== undefined) {
      jitterBuffer.push(packet, i);
      jitterBuffer.pull(i);
    }
  }
  let frames = 0;
  for (let i = 0; i < 100; i++) {
    const atMs = 10_000 + i * 20;
    const payload = new Uint8Array(160);
    jitterBuffer.push(
      { marker: false, payloadType: 0, sequenceNumber: i, timestamp: i * 160, ssrc: 77, payload },
      atMs,
    );
    frames += jitterBuffer.pull(atMs + 10).kind === "frame" ? 1 : 0;
  }
  assert.ok(frames >= 85, `${frames}`);
});
