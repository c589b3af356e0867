import type { MoonshineSize } from "../moonshine/model.ts";
import { DEFAULT_LOCAL_VOICE, FAST_LOCAL_VOICE } from "../synthesis/voices.ts";
import type { SpeechSpeeds } from "./speech-speeds.ts";

/** The operator's choices; absent: by the speeds. */
export interface SpeechFitSettings {
  recognizer?: MoonshineSize;
  /** Voice id of agents that name none. */
  voice?: string;
  kokoroThreads?: number;
}

/** Which local models serve calls on this machine. */
export interface SpeechFit {
  /** Cores available to the process. */
  cores: number;
  speeds: SpeechSpeeds;
  /** Other processes took a part of the processor while the speeds were measured. */
  isDisturbed: boolean;
  recognizer: MoonshineSize;
  /** Voice id of agents that name none. */
  defaultVoice: string;
  kokoroThreads: number;
  /** One sentence for operators. */
  summary: string;
}

/** Slower than this, Kokoro has no time left for a second call, or for anything else on the machine. */
const MAX_KOKORO_FACTOR = 0.8;
/** A caller's sentence of 5 s is understood within 2 s. */
export const MAX_RECOGNIZER_FACTOR = 0.4;
/** Maximum ratio of the time with two threads to that with one: a second thread takes processor time from calls. */
const SECOND_THREAD_FACTOR = 0.8;

/** Factor by which other work slows a voice down in a call, if the machine is busy or has one core. */
const BUSY_FACTOR = 2;
/** The same on a machine with a free core: the rest of a call takes a few percent of one. */
const QUIET_FACTOR = 1.25;

/**
 * Seconds of synthesis per second of sound that a voice probably takes in a call, until it has spoken in one; `undefined`
 * if it was not measured.
 */
export function expectedFactor(
  { speeds, cores, isDisturbed, kokoroThreads }: SpeechFit,
  voiceId: string,
): number | undefined {
  const alone = voiceId.startsWith("kokoro/") ? speeds[`kokoro-${kokoroThreads}`] : speeds.dittli;
  if (alone === undefined) return undefined;
  return alone * (isDisturbed || cores === 1 ? BUSY_FACTOR : QUIET_FACTOR);
}

/**
 * Chooses the models from measured speeds; without speeds, what a machine of two good cores takes.
 *
 * @param isDisturbed Whether other processes took a part of the processor while the speeds were measured.
 */
export function chooseSpeechFit(
  speeds: SpeechSpeeds,
  cores: number,
  settings: SpeechFitSettings = {},
  isDisturbed = false,
): SpeechFit {
  // Other processes slow two threads down more than one: disturbed speeds do not show what the second one saves.
  const kokoroThreads = settings.kokoroThreads ?? chooseThreads(isDisturbed ? {} : speeds, cores);
  const kokoro = speeds[`kokoro-${kokoroThreads}`];
  // If only the other voice was measured, Kokoro is not usable.
  const isFastBetter = kokoro === undefined ? speeds.dittli !== undefined : kokoro > MAX_KOKORO_FACTOR;
  const defaultVoice = settings.voice ?? (isFastBetter ? FAST_LOCAL_VOICE : DEFAULT_LOCAL_VOICE);
  const recognizer = settings.recognizer ?? chooseRecognizer(speeds);
  const fit = { cores, speeds, isDisturbed, recognizer, defaultVoice, kokoroThreads };
  return { ...fit, summary: summarize(fit, settings) };
}

function chooseThreads({ "kokoro-1": one, "kokoro-2": two }: SpeechSpeeds, cores: number): number {
  if (cores === 1 || (one !== undefined && two === undefined)) return 1;
  if (one === undefined || two === undefined) return 2;
  return two <= SECOND_THREAD_FACTOR * one ? 2 : 1;
}

function chooseRecognizer({ "moonshine-base": base, "moonshine-tiny": tiny }: SpeechSpeeds): MoonshineSize {
  const isBaseTooSlow = base !== undefined && base > MAX_RECOGNIZER_FACTOR;
  return isBaseTooSlow && tiny !== undefined && tiny < base ? "tiny" : "base";
}

function summarize(
  { cores, speeds, recognizer, defaultVoice, kokoroThreads }: Omit<SpeechFit, "summary">,
  settings: SpeechFitSettings,
): string {
  const measured = (Object.entries(speeds) as [string, number][]).map(
    ([name, factor]) => `${name} ${factor.toFixed(2)}`,
  );
  const by = (setting: unknown): string => (setting === undefined ? "" : " (set by the operator)");
  const choice =
    `default voice ${defaultVoice}${by(settings.voice)}, recognizer moonshine-${recognizer}${by(settings.recognizer)}, ` +
    `kokoro with ${kokoroThreads} ${kokoroThreads === 1 ? "thread" : "threads"}${by(settings.kokoroThreads)}`;
  if (measured.length === 0) return `${choice}; no speed was measured`;
  return `${choice}; seconds of work per second of sound on ${cores} ${cores === 1 ? "core" : "cores"}: ${measured.join(", ")}`;
}
