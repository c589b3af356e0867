import { readFile } from "node:fs/promises";
import path from "node:path";
import { decodePcmu, Resampler } from "@parley/audio";
import type { Moonshine, MoonshineSize } from "../moonshine/model.ts";
import type { SpeechEngine } from "../synthesis/engine.ts";

/** A model, and for Kokoro the number of its threads. */
export type SpeedName = `moonshine-${MoonshineSize}` | "dittli" | `kokoro-${number}`;

/** Seconds of work per second of sound on this machine; a model that was not measured is absent. */
export type SpeechSpeeds = Readonly<Partial<Record<SpeedName, number>>>;

/** The shortest of some runs. */
export interface SpeedMeasurement {
  /** Seconds of work per second of sound. */
  factor: number;
  /** Other processes took a part of the processor, so that the machine may be faster than this. */
  isDisturbed: boolean;
}

/** One moment of stolen time must not decide. */
const MAX_RUNS = 3;
/** Two runs that differ by less are enough. */
const EQUAL_RUNS = 1.1;
/** Share of the requested processor time that an undisturbed run receives; measured: 0.93 to 1.0, beside a busy process on each core 0.5. */
const MIN_PROCESSOR_SHARE = 0.75;
const SENTENCE = "Go forward ten meters.";
/** The same words said by a person, 8 kHz. */
const SPEECH_FILE = path.join(import.meta.dirname, "..", "..", "models", "known-answers", "speech.ulaw");
const { signal } = new AbortController();

export async function measureRecognizer(model: Moonshine): Promise<SpeedMeasurement> {
  const pcm = new Resampler(8000, 16_000).process(decodePcmu(new Uint8Array(await readFile(SPEECH_FILE))));
  return await measure(1, ownProcessorMs, async () => {
    await model.transcribe(pcm, signal);
    return pcm.length / 16_000;
  });
}

/** @param threads Of its model, which is open. */
export async function measureVoice(
  engine: SpeechEngine,
  voice: string,
  threads: number,
): Promise<SpeedMeasurement> {
  const processorMs = (): number => ownProcessorMs() + engine.processorMs;
  return await measure(threads, processorMs, async () => {
    let samples = 0;
    for await (const piece of engine.synthesize(SENTENCE, { voice, speed: 1 }, signal))
      samples += piece.samples.length;
    return samples / engine.sampleRateHz;
  });
}

/** Processor time of this process so far. */
function ownProcessorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * @param processorMs Processor time so far of the processes that do the work.
 * @param run Returns the seconds of sound.
 */
async function measure(
  threads: number,
  processorMs: () => number,
  run: () => Promise<number>,
): Promise<SpeedMeasurement> {
  const factors: number[] = [];
  let largestShare = 0;
  while (factors.length < MAX_RUNS && !haveAgreed(factors)) {
    const processorBeforeMs = processorMs();
    const startedAtMs = performance.now();
    const soundMs = (await run()) * 1000;
    const tookMs = performance.now() - startedAtMs;
    const share = (processorMs() - processorBeforeMs) / tookMs / threads;
    // A disturbed run counts as one that received the least of an undisturbed run: a busy moment would choose for a day.
    factors.push((tookMs / soundMs) * Math.min(1, share / MIN_PROCESSOR_SHARE));
    largestShare = Math.max(largestShare, share);
  }
  const isDisturbed = largestShare < MIN_PROCESSOR_SHARE;
  return { factor: Math.min(...factors), isDisturbed };
}

function haveAgreed(factors: readonly number[]): boolean {
  const [shortest, second] = factors.toSorted((a, b) => a - b);
  return shortest !== undefined && second !== undefined && second <= EQUAL_RUNS * shortest;
}
