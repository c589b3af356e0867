import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { G722Decoder, G722Encoder } from "./g722.ts";
import { testSignal } from "./testing/test-signal.ts";

const LINEAR = ["-f", "s16le", "-ar", "16000", "-ac", "1"];
const CODED = ["-f", "g722"];

function ffmpeg(from: readonly string[], to: readonly string[], input: Uint8Array): Buffer {
  const args = ["-v", "error", ...from, "-i", "pipe:0", ...to, "pipe:1"];
  const { status, stdout, stderr } = spawnSync("ffmpeg", args, {
    input,
    maxBuffer: 2 ** 24,
    timeout: 20_000,
  });
  assert.equal(status, 0, String(stderr));
  return stdout;
}

const isInstalled = spawnSync("ffmpeg", ["-version"]).status === 0;

test(
  "encoder and decoder agree with ffmpeg's bit for bit",
  { skip: isInstalled ? false : "ffmpeg is not installed (apt-get install ffmpeg)" },
  () => {
    const pcm = testSignal(160_000);
    const bytes = ffmpeg(LINEAR, ["-c:a", "g722", ...CODED], new Uint8Array(pcm.buffer));
    assert.deepEqual(Buffer.from(new G722Encoder().encode(pcm)), bytes);
    const decoded = new G722Decoder().decode(bytes);
    assert.deepEqual(Buffer.from(decoded.buffer), ffmpeg(CODED, LINEAR.slice(0, 2), bytes));
  },
);
