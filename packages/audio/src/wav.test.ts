import assert from "node:assert/strict";
import { test } from "node:test";
import { readWav, writeWav } from "./wav.ts";

const AUDIO = { sampleRateHz: 8000, channels: 2, pcm: Int16Array.of(1, -1, 32767, -32768, 0, 5) };

test("written sound is read back", () => {
  assert.deepEqual(readWav(writeWav(AUDIO)), AUDIO);
});

test("the header is the one of a plain PCM file", () => {
  assert.equal(
    Buffer.from(writeWav(AUDIO).subarray(0, 44)).toString("hex"),
    "524946463000000057415645666d74201000000001000200401f0000007d000004001000646174610c000000",
  );
});

test("unknown chunks are skipped, also those of odd size", () => {
  const plain = writeWav(AUDIO);
  const extra = Uint8Array.of(...Buffer.from("LIST"), 3, 0, 0, 0, 1, 2, 3, 0);
  const file = Buffer.concat([plain.subarray(0, 12), extra, plain.subarray(12)]);
  assert.deepEqual(readWav(file), AUDIO);
});

test("a view into a larger buffer at an odd offset is read", () => {
  const plain = writeWav(AUDIO);
  const padded = Buffer.concat([Buffer.alloc(3), plain]);
  assert.deepEqual(readWav(padded.subarray(3)), AUDIO);
});

test("an extensible header with PCM inside is read", () => {
  const plain = Buffer.from(writeWav(AUDIO));
  const format = Buffer.alloc(8 + 40);
  plain.copy(format, 0, 12, 36);
  format.writeUInt32LE(40, 4);
  format.writeUInt16LE(0xfffe, 8);
  format.writeUInt16LE(1, 8 + 24);
  const file = Buffer.concat([plain.subarray(0, 12), format, plain.subarray(36)]);
  assert.deepEqual(readWav(file), AUDIO);
});

test("a truncated data chunk is read up to the last complete sample of all channels", () => {
  const cut = writeWav(AUDIO).subarray(0, 44 + 7);
  assert.deepEqual([...readWav(cut).pcm], [1, -1]);
});

test("a file that is not 16-bit PCM is rejected with its format", () => {
  const eightBit = Buffer.from(writeWav(AUDIO));
  eightBit.writeUInt16LE(8, 34);
  assert.throws(() => readWav(eightBit), /16-bit PCM/);
  const muLaw = Buffer.from(writeWav(AUDIO));
  muLaw.writeUInt16LE(7, 20);
  assert.throws(() => readWav(muLaw), /format 7/);
});

test("malformed files are rejected with a reason", () => {
  const file = Buffer.from(writeWav(AUDIO));
  assert.throws(() => readWav(new Uint8Array()), /not a RIFF/);
  assert.throws(() => readWav(Buffer.from("RIFFxxxxAVI fmt ")), /not a RIFF/);
  assert.throws(() => readWav(file.subarray(0, 20)), /too short/);
  assert.throws(() => readWav(file.subarray(0, 36)), /no data/);
  assert.throws(() => readWav(file.subarray(0, 12)), /no format/);
  assert.throws(
    () => readWav(Buffer.concat([file.subarray(0, 12), file.subarray(36)])),
    /precedes the format chunk/,
  );
  const silent = Buffer.from(file);
  silent.writeUInt16LE(0, 22);
  assert.throws(() => readWav(silent), /must not be zero/);
});
