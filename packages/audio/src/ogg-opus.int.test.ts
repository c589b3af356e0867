import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { createOpusEncoder, OggOpusWriter, OpusApplication } from "./index.ts";

const RATE_HZ = 16_000;
const FRAME = RATE_HZ / 50;
/** Not a multiple of the frame length, so the end of the file is trimmed. */
const SAMPLES = 2 * RATE_HZ + 123;

const skipWithout = (program: string): string | false =>
  spawnSync("which", [program]).status === 0 ? false : `${program} is not installed`;

/** Left 440 Hz and right silence for a second, then exchanged. */
function sample(index: number, channel: number): number {
  const isFirst = index < RATE_HZ;
  return isFirst === (channel === 0)
    ? Math.round(10_000 * Math.sin((2 * Math.PI * 440 * index) / RATE_HZ))
    : 0;
}

describe("an Ogg Opus file read by other programs", () => {
  let folder: string;
  let file: string;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "parley-ogg-"));
    file = path.join(folder, "tone.opus");
    const encoder = await createOpusEncoder({
      sampleRate: RATE_HZ,
      channels: 2,
      application: OpusApplication.Voip,
      bitrate: 32_000,
    });
    const pages: Uint8Array[] = [];
    const preSkip = (encoder.getLookahead() * 48_000) / RATE_HZ;
    const writer = new OggOpusWriter({
      channels: 2,
      preSkip,
      inputSampleRateHz: RATE_HZ,
      serialNumber: 1,
      vendor: "test",
      tags: { TITLE: "A tone" },
      write: (page) => pages.push(page),
    });
    const frame = new Int16Array(2 * FRAME);
    for (let start = 0; start < SAMPLES + preSkip / 3; start += FRAME) {
      for (let index = 0; index < frame.length; index++) {
        const at = start + (index >> 1);
        frame[index] = at < SAMPLES ? sample(at, index & 1) : 0;
      }
      writer.packet(encoder.encode(frame), 960);
    }
    writer.end(SAMPLES * 3);
    encoder.free();
    await writeFile(file, Buffer.concat(pages));
  });
  after(async () => await rm(folder, { recursive: true }));

  test("opusinfo reports no problem", { skip: skipWithout("opusinfo") }, () => {
    const { stdout, status } = spawnSync("opusinfo", [file], { encoding: "utf8" });
    assert.equal(status, 0, stdout);
    assert.doesNotMatch(stdout, /warning|error|corrupt|missing/i);
    assert.match(stdout, /TITLE=A tone/);
    assert.match(stdout, /Original sample rate: 16000 ?Hz/);
    assert.match(stdout, /Playback length: 0m:02\.007s/);
  });

  test("ffprobe reads its length, tags and channels", { skip: skipWithout("ffprobe") }, () => {
    const args = ["-v", "warning", "-show_streams", "-show_format", "-of", "json", file];
    const { stdout, stderr } = spawnSync("ffprobe", args, { encoding: "utf8" });
    assert.equal(stderr, "");
    const { streams, format } = JSON.parse(stdout);
    assert.deepEqual([streams[0].codec_name, streams[0].channels], ["opus", 2]);
    assert.equal(streams[0].tags.TITLE, "A tone");
    assert.ok(Math.abs(Number(format.duration) - SAMPLES / RATE_HZ) < 0.01, format.duration);
  });

  test("ffmpeg decodes each channel at its place and time", { skip: skipWithout("ffmpeg") }, () => {
    const args = ["-v", "warning", "-i", file, "-f", "s16le", "-ar", "48000", "-"];
    const { stdout, stderr } = spawnSync("ffmpeg", args, { maxBuffer: 2 ** 26 });
    assert.equal(String(stderr), "");
    assert.equal(stdout.length / 4, SAMPLES * 3, "exactly as long as the input");
    const energy = (channel: number, fromMs: number, toMs: number): number => {
      let sum = 0;
      for (let index = fromMs * 48; index < toMs * 48; index++)
        sum += stdout.readInt16LE(4 * index + 2 * channel) ** 2;
      return sum / (48 * (toMs - fromMs));
    };
    assert.ok(energy(0, 50, 990) > 1000 * energy(1, 50, 990));
    assert.ok(energy(1, 1010, 1950) > 1000 * energy(0, 1010, 1950));
    // The change is at its place to within a millisecond.
    assert.ok(energy(0, 995, 999) > 10 * energy(0, 1002, 1006));
  });
});
