import type { SpeechFit } from "./speech-fit.ts";

/** The local models that a call uses. */
export interface LocalSpeechUse {
  hasRecognizer: boolean;
  /** Voice id; `undefined` if a vendor speaks. */
  voice: string | undefined;
}

/** Shares of what the machine has, which calls take on average; each model does one thing at a time. */
export interface SpeechDemand {
  processor: number;
  recognizer: number;
  kokoro: number;
  dittli: number;
}

/** Share of a call in which the agent speaks. The rest of both sides' shares is pauses. */
const AGENT_SPEAKS = 0.4;
const CALLER_SPEAKS = 0.3;
/** An utterance is recognized at each of its pauses; what was heard before is read again in less time. */
const RECOGNITIONS = 1.5;
/** Audio, voice activity, records: 0.4 to 1.7 % of a core (docs/performance.md). */
const OTHER_WORK = 0.01;
/** More than this of the time in use, and calls wait for each other for longer than a pause in speech. */
const MAX_USE = 0.75;
const names = ["processor", "recognizer", "kokoro", "dittli"] as const;
const NOTHING: SpeechDemand = { processor: 0, recognizer: 0, kokoro: 0, dittli: 0 };

export function demandOf(
  { speeds, cores, recognizer, kokoroThreads }: SpeechFit,
  use: LocalSpeechUse,
): SpeechDemand {
  const engine = use.voice?.split("/")[0];
  const recognizing = use.hasRecognizer
    ? CALLER_SPEAKS * RECOGNITIONS * (speeds[`moonshine-${recognizer}`] ?? 0)
    : 0;
  const kokoro = engine === "kokoro" ? AGENT_SPEAKS * (speeds[`kokoro-${kokoroThreads}`] ?? 0) : 0;
  const dittli = engine === "dittli" ? AGENT_SPEAKS * (speeds.dittli ?? 0) : 0;
  const isLocal = use.hasRecognizer || use.voice !== undefined;
  const working = recognizing + kokoro * kokoroThreads + dittli + (isLocal ? OTHER_WORK : 0);
  return { processor: working / cores, recognizer: recognizing, kokoro, dittli };
}

export function sumDemands(demands: Iterable<SpeechDemand>): SpeechDemand {
  const sum = { ...NOTHING };
  for (const demand of demands) for (const name of names) sum[name] += demand[name];
  return sum;
}

/** How many more such calls the machine serves beside those that it has; `Infinity` if they take nothing. */
export function countFurtherCalls(held: SpeechDemand, next: SpeechDemand): number {
  const rooms = names.map((name) =>
    next[name] === 0 ? Infinity : Math.floor((MAX_USE - held[name]) / next[name] + 1e-9),
  );
  return Math.max(0, Math.min(...rooms));
}
