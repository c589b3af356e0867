import type { AgentVoice } from "./agent-voice.ts";

/** One clause synthesized by a voice. */
export interface SynthesizedClause {
  text: string;
  /** Speaking speed of the style; 1 is the voice's own pace. */
  speed: number;
  /** Time from the request, or from the end of the previous clause, to the last audio. */
  tookMs: number;
  audioMs: number;
  /** First piece of the clause; absent if the voice does not stream it. */
  first?: {
    /** Time from the request, or from the end of the previous clause. */
    tookMs: number;
    audioMs: number;
  };
  /** Audio of the longest piece that arrived at once. */
  longestPieceMs?: number;
}

interface VoiceSpeed {
  /** Seconds of synthesis per second of audio, including the wait for the first audio. */
  realTimeFactor: number;
  /** Seconds of synthesis per second of audio after the first audio; `undefined` if no clause was streamed. */
  streamingFactor: number | undefined;
  /** Audio that arrives at once; `undefined` if no clause was streamed. */
  pieceMs: number | undefined;
}

/** Default until a voice has spoken: 15 characters per second. */
const DEFAULT_MS_PER_UNIT = 67;
/** A digit is read out as a word: `2024` becomes three. */
const UNITS_PER_DIGIT = 5;
/** Weights of a new measurement: a slower one counts at once, a faster one gradually. */
const RISING_SHARE = 0.6;
const FALLING_SHARE = 0.25;
const LENGTH_SHARE = 0.25;
const MAX_VOICES = 500;

/**
 * Synthesis speed and speaking rate of voices, measured as they speak. Playback uses them to start as early as it can
 * without running dry. One instance serves all calls of a process.
 */
export class VoiceSpeeds {
  /** Least recently measured first. */
  readonly #speeds = new Map<string, VoiceSpeed>();
  /** Milliseconds of audio per unit of text at speed 1; least recently measured first. */
  readonly #msPerUnit = new Map<string, number>();

  /** Seconds of synthesis per second of audio; `undefined` if the voice was never measured and has no assumed value. */
  realTimeFactorOf(voice: AgentVoice): number | undefined {
    return this.#speeds.get(keyOf(voice))?.realTimeFactor ?? voice.tts.assumedRealTimeFactorOf?.(voice.voice);
  }

  /**
   * As `realTimeFactorOf`, for the rest of a clause of which audio has arrived: the wait for the first audio, most of the time of
   * a streaming vendor, is over then.
   */
  streamingFactorOf(voice: AgentVoice): number | undefined {
    return this.#speeds.get(keyOf(voice))?.streamingFactor ?? this.realTimeFactorOf(voice);
  }

  /** Audio that the voice delivers at once; `Infinity` if it never streamed a clause. */
  pieceMsOf(voice: AgentVoice): number {
    return this.#speeds.get(keyOf(voice))?.pieceMs ?? Infinity;
  }

  /** Expected duration of a text as audio. */
  expectedMs(voice: AgentVoice, text: string, speed: number): number {
    const msPerUnit = this.#msPerUnit.get(keyOf(voice)) ?? DEFAULT_MS_PER_UNIT;
    return (unitsOf(text) * msPerUnit) / speed;
  }

  observe(voice: AgentVoice, clause: SynthesizedClause): void {
    const { tookMs, audioMs, first, longestPieceMs } = clause;
    if (!this.observeLength(voice, clause)) return;
    const key = keyOf(voice);
    const before = this.#speeds.get(key);
    const isStreamed = first !== undefined && audioMs > first.audioMs;
    const measured = {
      realTimeFactor: tookMs / audioMs,
      streamingFactor: isStreamed ? (tookMs - first.tookMs) / (audioMs - first.audioMs) : undefined,
      pieceMs: isStreamed ? longestPieceMs : undefined,
    };
    setNewest(this.#speeds, key, before === undefined ? measured : mixed(before, measured));
  }

  /**
   * Measures the length of a text as audio, which may have been synthesized earlier.
   *
   * @returns `false` if the clause has no text or no audio.
   */
  observeLength(
    voice: AgentVoice,
    { text, speed, audioMs }: Pick<SynthesizedClause, "text" | "speed" | "audioMs">,
  ): boolean {
    const units = unitsOf(text);
    if (audioMs <= 0 || units === 0) return false;
    const key = keyOf(voice);
    const before = this.#msPerUnit.get(key);
    const measured = (audioMs * speed) / units;
    setNewest(this.#msPerUnit, key, before === undefined ? measured : moved(before, measured, LENGTH_SHARE));
    return true;
  }
}

function mixed(before: VoiceSpeed, measured: VoiceSpeed): VoiceSpeed {
  return {
    realTimeFactor: cautious(before.realTimeFactor, measured.realTimeFactor),
    streamingFactor: mixedIfKnown(before.streamingFactor, measured.streamingFactor),
    pieceMs: mixedIfKnown(before.pieceMs, measured.pieceMs),
  };
}

function mixedIfKnown(before: number | undefined, measured: number | undefined): number | undefined {
  return before === undefined || measured === undefined ? (measured ?? before) : cautious(before, measured);
}

function cautious(before: number, measured: number): number {
  return moved(before, measured, measured > before ? RISING_SHARE : FALLING_SHARE);
}

function moved(from: number, to: number, share: number): number {
  return from + (to - from) * share;
}

/** Sets a value, and removes the least recently set one above the limit. */
function setNewest<T>(values: Map<string, T>, key: string, value: T): void {
  values.delete(key);
  values.set(key, value);
  const [oldest] = values.keys();
  if (values.size > MAX_VOICES && oldest !== undefined) values.delete(oldest);
}

function keyOf({ tts, voice }: AgentVoice): string {
  return JSON.stringify([tts.name, voice]);
}

function unitsOf(text: string): number {
  const digits = text.match(/\d/g)?.length ?? 0;
  return text.trim().length + digits * (UNITS_PER_DIGIT - 1);
}
