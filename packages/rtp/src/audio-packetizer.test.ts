import assert from "node:assert/strict";
import { test } from "node:test";
import { AudioPacketizer } from "./audio-packetizer.ts";

const FRAME_BYTES = 160;

/** Sends frames with consecutive byte values; returns timestamp, first byte, last byte and marker of each packet. */
function packetize(ptimeMs: number, frames: readonly { at: number; marker?: boolean }[]): unknown[] {
  const sent: unknown[] = [];
  const packetizer = new AudioPacketizer(ptimeMs, ({ payload, timestamp, marker }) =>
    sent.push([timestamp, payload.length, payload[0], payload.at(-1), marker]),
  );
  for (const { at, marker = false } of frames) {
    packetizer.write(
      Uint8Array.from({ length: FRAME_BYTES }, (_, i) => (at + i) / 10),
      at,
      marker,
    );
  }
  return sent;
}

test("frames of packet length are sent unchanged", () => {
  assert.deepEqual(packetize(20, [{ at: 0, marker: true }, { at: 160 }]), [
    [0, 160, 0, 15, true],
    [160, 160, 16, 31, false],
  ]);
});

test("a frame may fill several packets, and a packet may contain several frames", () => {
  assert.deepEqual(packetize(10, [{ at: 0, marker: true }]), [
    [0, 80, 0, 7, true],
    [80, 80, 8, 15, false],
  ]);
  assert.deepEqual(packetize(30, [{ at: 0 }, { at: 160, marker: true }, { at: 320 }]), [
    [0, 240, 0, 23, true],
    [240, 240, 24, 47, false],
  ]);
  assert.deepEqual(packetize(60, [{ at: 0 }, { at: 160 }, { at: 320 }, { at: 480 }]), [
    [0, 480, 0, 47, false],
  ]);
});

test("the rest of a frame before a gap is dropped", () => {
  assert.deepEqual(packetize(40, [{ at: 0 }, { at: 480 }, { at: 640 }]), [[480, 320, 48, 79, false]]);
});
