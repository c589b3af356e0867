/** The decoders against files that ffmpeg wrote. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { seededRandom } from "@parley/testing";
import { Resampler } from "../resampler.ts";
import { readWav } from "../wav.ts";
import { AudioFileError } from "./audio-file.ts";
import { decodeAudioFile } from "./decode-audio-file.ts";

const speechFile = new URL("../../../../bench/recordings/sense-and-sensibility-0870.wav", import.meta.url);
const MAX_SECONDS = 20;
const isInstalled = spawnSync("ffmpeg", ["-version"]).status === 0;
const skip = isInstalled ? false : "ffmpeg is not installed";

function encode(format: readonly string[]): Buffer {
  const args = ["-hide_banner", "-loglevel", "error", "-i", speechFile.pathname, ...format, "pipe:1"];
  const { status, stdout, stderr } = spawnSync("ffmpeg", args, { maxBuffer: 2 ** 27 });
  assert.equal(status, 0, String(stderr));
  return stdout;
}

/** Ratio of the speech to its difference from the decoded sound, in dB, at the delay of the codec. */
async function fidelityOf(file: Uint8Array): Promise<number> {
  const { samples, sampleRateHz } = await decodeAudioFile(file, MAX_SECONDS);
  const { pcm } = readWav(await readFile(speechFile));
  const decoded = new Resampler(sampleRateHz, 16_000).process(
    Int16Array.from(samples, (sample) => Math.max(-32_768, Math.min(32_767, sample * 32_768))),
  );
  assert.ok(Math.abs(decoded.length - pcm.length) < 3000, `${decoded.length} samples`);
  let best = -Infinity;
  // MP3 frames of 8 kHz last 72 ms, and one and a half of them pass before the sound begins.
  for (let delay = -40; delay <= 2400; delay++) {
    let signal = 0;
    let error = 0;
    for (let at = 1000; at < pcm.length - 3000; at += 5) {
      const expected = pcm[at] ?? 0;
      signal += expected ** 2;
      error += (expected - (decoded[at + delay] ?? 0)) ** 2;
    }
    best = Math.max(best, 10 * Math.log10(signal / Math.max(1, error)));
  }
  return best;
}

const STEREO = ["-af", "pan=stereo|c0=c0|c1=c0"];

const formats: Readonly<Record<string, { format: readonly string[]; atLeastDb: number }>> = {
  "WAV, 16 bits": { format: ["-f", "wav"], atLeastDb: 80 },
  "WAV, 16 bits, stereo, extensible": { format: [...STEREO, "-f", "wav"], atLeastDb: 60 },
  "WAV, 8 bits": { format: ["-c:a", "pcm_u8", "-f", "wav"], atLeastDb: 15 },
  "WAV, 24 bits": { format: ["-c:a", "pcm_s24le", "-f", "wav"], atLeastDb: 60 },
  "WAV, 32 bits": { format: ["-c:a", "pcm_s32le", "-f", "wav"], atLeastDb: 60 },
  "WAV, float": { format: ["-c:a", "pcm_f32le", "-f", "wav"], atLeastDb: 60 },
  "WAV, double": { format: ["-c:a", "pcm_f64le", "-f", "wav"], atLeastDb: 60 },
  "WAV, A-law": { format: ["-c:a", "pcm_alaw", "-f", "wav"], atLeastDb: 25 },
  "WAV, µ-law": { format: ["-c:a", "pcm_mulaw", "-f", "wav"], atLeastDb: 25 },
  FLAC: { format: ["-f", "flac"], atLeastDb: 80 },
  "FLAC, fast and simple": { format: ["-compression_level", "0", "-f", "flac"], atLeastDb: 80 },
  "FLAC, 24 bits, stereo": {
    format: [...STEREO, "-sample_fmt", "s32", "-compression_level", "12", "-f", "flac"],
    atLeastDb: 60,
  },
  MP3: { format: ["-b:a", "128k", "-f", "mp3"], atLeastDb: 15 },
  "MP3, stereo, variable rate, without tags": {
    format: [...STEREO, "-ar", "44100", "-q:a", "2", "-id3v2_version", "0", "-write_xing", "0", "-f", "mp3"],
    atLeastDb: 15,
  },
  "MP3, 8 kHz (MPEG 2.5)": { format: ["-ar", "8000", "-f", "mp3"], atLeastDb: 3 },
  "Ogg Vorbis": { format: ["-c:a", "libvorbis", "-q:a", "8", "-f", "ogg"], atLeastDb: 15 },
  "Ogg Vorbis, stereo": {
    format: [...STEREO, "-ar", "48000", "-c:a", "libvorbis", "-f", "ogg"],
    atLeastDb: 10,
  },
  "Ogg Opus": { format: ["-c:a", "libopus", "-b:a", "96k", "-f", "ogg"], atLeastDb: 5 },
  "WebM Opus": { format: ["-c:a", "libopus", "-b:a", "96k", "-f", "webm"], atLeastDb: 5 },
  "Matroska Opus, as a live stream": {
    format: ["-c:a", "libopus", "-b:a", "96k", "-f", "matroska", "-live", "1"],
    atLeastDb: 5,
  },
};

for (const [name, { format, atLeastDb }] of Object.entries(formats))
  test(`${name} is decoded as it was recorded`, { skip }, async () => {
    const fidelity = await fidelityOf(encode(format));
    assert.ok(fidelity >= atLeastDb, `${fidelity.toFixed(1)} dB`);
  });

const refused: readonly [name: string, format: readonly string[], reason: RegExp][] = [
  ["ADPCM", ["-c:a", "adpcm_ima_wav", "-f", "wav"], /encoding 17 with 4 bits/],
  ["AAC", ["-f", "adts"], /is an AAC file/],
  ["Ogg FLAC", ["-c:a", "flac", "-f", "ogg"], /Ogg file with FLAC sound/],
  ["a long MP3", ["-af", "apad=pad_dur=60", "-f", "mp3"], /longer than 20 seconds/],
  [
    "a long Ogg Vorbis",
    ["-af", "apad=pad_dur=60", "-c:a", "libvorbis", "-f", "ogg"],
    /longer than 20 seconds/,
  ],
  [
    "an endless Ogg Vorbis",
    ["-af", "apad=pad_dur=900", "-c:a", "libvorbis", "-f", "ogg"],
    /longer than 20 seconds/,
  ],
  ["WebM Vorbis", ["-c:a", "libvorbis", "-f", "webm"], /without Opus sound \(A_VORBIS\)/],
  ["a long file", ["-af", "apad=pad_dur=60", "-f", "flac"], /longer than 20 seconds/],
];
for (const [name, format, reason] of refused)
  test(`${name} is refused by its name`, { skip }, async () => {
    await assert.rejects(decodeAudioFile(encode(format), MAX_SECONDS), (error) => {
      assert.ok(error instanceof AudioFileError);
      return reason.test(error.message);
    });
  });

test("damaged and cut files are decoded or refused, and never fail otherwise", { skip }, async () => {
  const random = seededRandom(3);
  for (const format of [
    ["-f", "wav"],
    ["-f", "flac"],
    ["-f", "mp3"],
    ["-c:a", "libvorbis", "-f", "ogg"],
    ["-c:a", "libopus", "-f", "ogg"],
    ["-c:a", "libopus", "-f", "webm"],
  ]) {
    const file = encode(["-t", "1", ...format]);
    for (let round = 0; round < 40; round++) {
      const damaged = Buffer.from(file.subarray(0, Math.floor(file.length * (0.2 + 0.8 * random()))));
      for (let flips = 0; flips < 4; flips++)
        damaged[Math.floor(random() * damaged.length)] = Math.floor(random() * 256);
      await decodeAudioFile(damaged, MAX_SECONDS).catch((error: unknown) =>
        assert.ok(error instanceof AudioFileError, String(error)),
      );
    }
  }
});
