import { readFile } from "node:fs/promises";
import { encodePcmu, readWav, Resampler } from "../../packages/audio/src/index.ts";
import { seededRandom } from "@parley/testing";

/** Recordings of people, without a pause that would end a caller's turn. */
const files = [
  "sense-and-sensibility-0880",
  "sense-and-sensibility-0930",
  "cards-5",
  "sense-and-sensibility-0890",
];

const FRAME_SAMPLES = 160;
/** Frames of at least this level (RMS) are speech; frames before the first and after the last of them are removed. */
const SPEECH_RMS = 300;
const NOISE_PEAK = 24;
const NOISE_FRAMES = 64;

/** µ-law payloads of one 20 ms packet each. */
export type Frames = readonly Uint8Array[];

/** Speech of callers, one entry per utterance. */
export async function loadUtterances(): Promise<Frames[]> {
  return await Promise.all(
    files.map(async (name) => {
      const { pcm, sampleRateHz } = readWav(
        await readFile(new URL(`../recordings/${name}.wav`, import.meta.url)),
      );
      if (sampleRateHz !== 16_000) throw new Error(`${name} has ${sampleRateHz} Hz instead of 16000`);
      return encodeFrames(trim(new Resampler(16_000, 8_000).process(pcm)));
    }),
  );
}

/** Faint noise of a line without speech, to be repeated. */
export function lineNoise(): Frames {
  const random = seededRandom(1);
  const pcm = Int16Array.from({ length: NOISE_FRAMES * FRAME_SAMPLES }, () =>
    Math.round((2 * random() - 1) * NOISE_PEAK),
  );
  return encodeFrames(pcm);
}

function trim(pcm: Int16Array): Int16Array {
  const frames = split(pcm).map(isSpeech);
  return pcm.subarray(frames.indexOf(true) * FRAME_SAMPLES, (frames.lastIndexOf(true) + 1) * FRAME_SAMPLES);
}

function isSpeech(frame: Int16Array): boolean {
  return Math.sqrt(frame.reduce((sum, sample) => sum + sample ** 2, 0) / frame.length) >= SPEECH_RMS;
}

function split(pcm: Int16Array): Int16Array[] {
  return Array.from({ length: Math.floor(pcm.length / FRAME_SAMPLES) }, (_, index) =>
    pcm.subarray(index * FRAME_SAMPLES, (index + 1) * FRAME_SAMPLES),
  );
}

function encodeFrames(pcm: Int16Array): Frames {
  return split(pcm).map((frame) => encodePcmu(frame));
}
