import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { G722Decoder, G722Encoder } from "./g722.ts";
import { testSignal } from "./testing/test-signal.ts";

function sha256(data: Uint8Array | Int16Array): string {
  return createHash("sha256").update(data).digest("hex");
}

test("bytes and samples equal those of ffmpeg 5.1 for the same signal", () => {
  // g722.int.test.ts compares the complete output if ffmpeg is installed.
  const bytes = new G722Encoder().encode(testSignal(32_000));
  assert.equal(sha256(bytes), "cf6bf59e13aca3f8d42ccbd9f1acde40f642fde90f359e3ae8326f82172f1980");
  assert.equal(
    sha256(new G722Decoder().decode(bytes)),
    "8601f45e39a785c03b3e24493bd19527ccf214ef447e53e723dd7a393a3545a7",
  );
});

test("a stream may be split anywhere", () => {
  const pcm = testSignal(3200);
  const whole = new G722Encoder().encode(pcm);
  const [encoder, decoder] = [new G722Encoder(), new G722Decoder()];
  const bytes: number[] = [];
  const samples: number[] = [];
  for (let start = 0, length = 2; start < pcm.length; start += length, length = (length * 7 + 6) % 640) {
    const part = encoder.encode(pcm.subarray(start, start + length));
    bytes.push(...part);
    samples.push(...decoder.decode(part));
  }
  assert.deepEqual(Uint8Array.from(bytes), whole);
  assert.deepEqual(Int16Array.from(samples), new G722Decoder().decode(whole));
});

test("tones up to 7 kHz pass with 1.4 ms delay and little noise", () => {
  const DELAY = 22;
  for (const hz of [300, 1000, 3000, 5000, 6500]) {
    const pcm = Int16Array.from({ length: 8000 }, (_, i) => 8000 * Math.sin((2 * Math.PI * hz * i) / 16_000));
    const heard = new G722Decoder().decode(new G722Encoder().encode(pcm));
    let noise = 0;
    let power = 0;
    for (let i = 2000; i < 7000; i++) {
      const sent = pcm[i] ?? 0;
      noise += ((heard[i + DELAY] ?? 0) - sent) ** 2;
      power += sent ** 2;
    }
    const decibels = 10 * Math.log10(power / noise);
    assert.ok(decibels > 12, `${hz} Hz: ${decibels.toFixed(1)} dB`);
  }
});

test("silence stays silent, and all byte values decode", () => {
  const decoder = new G722Decoder();
  const silence = decoder.decode(new G722Encoder().encode(new Int16Array(3200)));
  assert.ok(silence.every((sample) => Math.abs(sample) <= 8));
  const noise = Uint8Array.from({ length: 16_000 }, (_, i) => (i * 7919) >> 3);
  assert.equal(decoder.decode(noise).length, 32_000);
});
