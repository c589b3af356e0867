import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { decodePcma, decodePcmu, encodePcma, encodePcmu } from "./g711.ts";

const ALL_CODES = Uint8Array.from({ length: 256 }, (_, code) => code);
const ALL_SAMPLES = Int16Array.from({ length: 0x10000 }, (_, i) => i - 0x8000);

const laws = [
  {
    name: "PCMU",
    encode: encodePcmu,
    decode: decodePcmu,
    // Little-endian samples that ffmpeg 5.1 decodes from the bytes 0 to 255.
    decodedSha256: "3dab54339e520bb2c924826e3b72a917a2b612e9fd12fc867500f1d983a75827",
    known: [
      [0x00, -32124],
      [0x80, 32124],
      [0x7e, -8],
      [0xfe, 8],
      [0xff, 0],
    ],
  },
  {
    name: "PCMA",
    encode: encodePcma,
    decode: decodePcma,
    decodedSha256: "e04788d110e58ff8c70c93b8480190d973e3b67876b6119abbaec766cc75c174",
    known: [
      [0x2a, -32256],
      [0xaa, 32256],
      [0x55, -8],
      [0xd5, 8],
      [0xd4, 24],
    ],
  },
] as const;

for (const { name, encode, decode, decodedSha256, known } of laws) {
  test(`${name} decodes every code to the value of the Recommendation`, () => {
    for (const [code, sample] of known) {
      assert.equal(decode(Uint8Array.of(code))[0], sample);
    }
    const bytes = Buffer.alloc(512);
    decode(ALL_CODES).forEach((sample, i) => bytes.writeInt16LE(sample, 2 * i));
    assert.equal(createHash("sha256").update(bytes).digest("hex"), decodedSha256);
  });

  test(`${name} returns every code after decoding and encoding`, () => {
    const codes = encode(decode(ALL_CODES));
    for (const code of ALL_CODES) {
      // µ-law has two zeros; linear zero is always the positive one.
      assert.equal(codes[code], name === "PCMU" && code === 0x7f ? 0xff : code);
    }
  });

  test(`${name} has an error of at most half a step and is monotonic`, () => {
    const values = [...decode(ALL_CODES)].sort((a, b) => a - b);
    const decoded = decode(encode(ALL_SAMPLES));
    const largest = values[255] ?? 0;
    decoded.forEach((value, i) => {
      const sample = ALL_SAMPLES[i] ?? 0;
      assert.ok(i === 0 || value >= (decoded[i - 1] ?? 0));
      const index = values.indexOf(value);
      const below = value - (values[index - 1] ?? -0x8000);
      const above = (values[index + 1] ?? 0x7fff) - value;
      const isClipped = Math.abs(sample) > largest;
      // Input finer than the 14 or 13 bits of the law is truncated.
      assert.ok(
        isClipped || Math.abs(value - sample) <= Math.max(below, above) / 2 + 4,
        `${sample} → ${value}`,
      );
    });
  });

  test(`${name} writes into a given buffer`, () => {
    const bytes = new Uint8Array(10);
    const samples = new Int16Array(10);
    assert.equal(encode(Int16Array.of(1000, -1000), bytes), bytes);
    assert.equal(decode(bytes.subarray(0, 2), samples), samples);
    assert.ok(Math.abs((samples[0] ?? 0) - 1000) < 32);
    assert.equal(samples[1], -(samples[0] ?? 0));
  });
}

test("positive decision values belong to the outer step, as in the ITU-T tool library", () => {
  // Between codes 0x80 (32124) and 0x81 (31100), and between 0xaa (32256) and 0xab (31232).
  assert.deepEqual([...encodePcmu(Int16Array.of(31611, 31612, -31612, -31613))], [0x81, 0x80, 0x01, 0x00]);
  assert.deepEqual([...encodePcma(Int16Array.of(31743, 31744, -31744, -31745))], [0xab, 0xaa, 0x2b, 0x2a]);
});
