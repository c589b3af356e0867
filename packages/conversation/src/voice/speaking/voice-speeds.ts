import type { AgentVoice } from "./synthesis.ts";

/** One clause synthesized by a voice. */
export interface SynthesizedClause {
  text: string;
  /** Speaking speed of the style; 1 is the voice's own pace. */
  speed: number;
  /** Time from the request, or from the end of the previous clause, to the last audio. */
  tookMs: number;
  audioMs: number;
}

interface VoiceSpeed {
  /** Seconds of synthesis per second of audio. */
  realTimeFactor: number;
  /** Milliseconds of audio per unit of text at speed 1. */
  msPerUnit: number;
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

  /** Seconds of synthesis per second of audio; `undefined` if the voice was never measured and has no assumed value. */
  realTimeFactorOf(voice: AgentVoice): number | undefined {
    return this.#speeds.get(keyOf(voice))?.realTimeFactor ?? voice.tts.assumedRealTimeFactorOf?.(voice.voice);
  }

  /** Expected duration of a text as audio. */
  expectedMs(voice: AgentVoice, text: string, speed: number): number {
    const msPerUnit = this.#speeds.get(keyOf(voice))?.msPerUnit ?? DEFAULT_MS_PER_UNIT;
    return (unitsOf(text) * msPerUnit) / speed;
  }

  observe(voice: AgentVoice, { text, speed, tookMs, audioMs }: SynthesizedClause): void {
    const units = unitsOf(text);
    if (audioMs <= 0 || units === 0) return;
    const key = keyOf(voice);
    const before = this.#speeds.get(key);
    const measured = { realTimeFactor: tookMs / audioMs, msPerUnit: (audioMs * speed) / units };
    this.#speeds.delete(key);
    this.#speeds.set(key, before === undefined ? measured : mixed(before, measured));
    const [oldest] = this.#speeds.keys();
    if (this.#speeds.size > MAX_VOICES && oldest !== undefined) this.#speeds.delete(oldest);
  }
}

function mixed(before: VoiceSpeed, measured: VoiceSpeed): VoiceSpeed {
  const isSlower = measured.realTimeFactor > before.realTimeFactor;
  const share = isSlower ? RISING_SHARE : FALLING_SHARE;
  const move = (from: number, to: number, by: number): number => from + (to - from) * by;
  return {
    realTimeFactor: move(before.realTimeFactor, measured.realTimeFactor, share),
    msPerUnit: move(before.msPerUnit, measured.msPerUnit, LENGTH_SHARE),
  };
}

function keyOf({ tts, voice }: AgentVoice): string {
  return JSON.stringify([tts.name, voice]);
}

function unitsOf(text: string): number {
  const digits = text.match(/\d/g)?.length ?? 0;
  return text.trim().length + digits * (UNITS_PER_DIGIT - 1);
}
