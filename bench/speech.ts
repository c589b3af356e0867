/**
 * Speech recognition and voice activity on recordings of people: `node bench/speech.ts [--json]`.
 *
 * Word error rates are of whole recordings, clean and as a telephone brings them (8 kHz, G.711 µ-law, back up to
 * 16 kHz); see `word-errors.ts` for how texts are compared. A real-time factor is processor seconds per second of
 * audio, of this process and all its threads. `--json` ends with the figures as JSON on the last line.
 */
import { readFile } from "node:fs/promises";
import path from "node:path";
import { decodePcmu, encodePcmu, readWav, Resampler } from "@parley/audio";
import { ensureModels, loadMoonshine, loadSilero, type MoonshineSize } from "@parley/providers";
import { countWordErrors, normaliseWords } from "./word-errors.ts";

interface Recording {
  file: string;
  words: readonly string[];
  /** 16 kHz. */
  clean: Int16Array;
  /** 8 kHz, through G.711. */
  telephone: Int16Array;
}

export interface RecognitionRow {
  model: string;
  words: number;
  /** Shares of the words, 0–1. */
  werClean: number;
  werTelephone: number;
  rtf: number;
}

export interface VoiceActivityRow {
  /** Streams heard together. */
  streams: number;
  rtf: number;
}

export interface SpeechFigures {
  recognition: RecognitionRow[];
  voiceActivity: VoiceActivityRow[];
}

const folder = path.join(import.meta.dirname, "recordings");

async function readRecordings(): Promise<Recording[]> {
  const manifest: { recordings: { file: string; text: string }[] } = JSON.parse(
    await readFile(path.join(folder, "manifest.json"), "utf8"),
  );
  return await Promise.all(
    manifest.recordings.map(async ({ file, text }) => {
      const clean = readWav(await readFile(path.join(folder, file))).pcm;
      const telephone = decodePcmu(encodePcmu(new Resampler(16_000, 8000).process(clean)));
      return { file, words: normaliseWords(text), clean, telephone };
    }),
  );
}

/** Processor seconds that a piece of work took. */
async function cpuSecondsOf(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

async function measureRecognition(
  modelsDir: string,
  size: MoonshineSize,
  recordings: readonly Recording[],
): Promise<RecognitionRow> {
  const model = await loadMoonshine({ modelsDir, size });
  await model.warmUp();
  const { signal } = new AbortController();
  const errors = { clean: 0, telephone: 0 };
  const cpuSeconds = await cpuSecondsOf(async () => {
    for (const { words, clean, telephone } of recordings) {
      const heardClean = await model.transcribe(clean, signal);
      errors.clean += countWordErrors(words, normaliseWords(heardClean));
      const heardTelephone = await model.transcribe(new Resampler(8000, 16_000).process(telephone), signal);
      errors.telephone += countWordErrors(words, normaliseWords(heardTelephone));
    }
  });
  await model.close();
  const words = sum(recordings.map((recording) => recording.words.length));
  const seconds = 2 * sum(recordings.map(({ clean }) => clean.length / 16_000));
  return {
    model: model.name,
    words,
    werClean: errors.clean / words,
    werTelephone: errors.telephone / words,
    rtf: cpuSeconds / seconds,
  };
}

/** Feeds windows of 32 ms to all streams at once and waits for each round, as the media wheel does. */
async function measureVoiceActivity(
  modelsDir: string,
  streams: number,
  pcm: Int16Array,
): Promise<VoiceActivityRow> {
  const vad = await loadSilero({
    modelsDir,
    onFailure: (error) => {
      throw error;
    },
  });
  const windows = { written: 0, heard: 0 };
  const open = Array.from({ length: streams }, () =>
    vad.open({ sampleRateHz: 8000, onProbability: () => (windows.heard += 1) }),
  );
  const window = 256;
  const cpuSeconds = await cpuSecondsOf(async () => {
    for (let at = 0; at + window <= pcm.length; at += window) {
      for (const stream of open) stream.write(pcm.subarray(at, at + window));
      windows.written += streams;
      while (windows.heard < windows.written) await new Promise((resolve) => setImmediate(resolve));
    }
  });
  for (const stream of open) stream.close();
  await vad.close();
  return { streams, rtf: cpuSeconds / (windows.written * 0.032) };
}

/** Measures the recognisers and voice activity; fetches the models first where they are missing. */
export async function run(): Promise<SpeechFigures> {
  const modelsDir = await ensureModels({ groups: ["moonshine-base", "moonshine-tiny", "silero"] });
  const recordings = await readRecordings();
  const recognition: RecognitionRow[] = [];
  for (const size of ["base", "tiny"] as const) {
    recognition.push(await measureRecognition(modelsDir, size, recordings));
  }
  const telephone = Int16Array.from(recordings.flatMap((recording) => [...recording.telephone]));
  const voiceActivity: VoiceActivityRow[] = [];
  for (const streams of [1, 16])
    voiceActivity.push(await measureVoiceActivity(modelsDir, streams, telephone));
  return { recognition, voiceActivity };
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

if (import.meta.main) {
  const figures = await run();
  for (const { model, words, werClean, werTelephone, rtf } of figures.recognition) {
    console.log(
      `${model}: WER ${percent(werClean)} clean, ${percent(werTelephone)} telephone (${words} words), RTF ${rtf.toFixed(3)}`,
    );
  }
  for (const { streams, rtf } of figures.voiceActivity) {
    console.log(`voice activity, ${streams} streams together: RTF ${rtf.toFixed(5)} each`);
  }
  if (process.argv.includes("--json")) console.log(JSON.stringify(figures));
}
