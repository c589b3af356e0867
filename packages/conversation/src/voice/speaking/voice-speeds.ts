import type { AgentVoice } from "./synthesis.ts";

/** One clause as a voice has synthesized it. */
export interface SynthesizedClause {
  text: string;
  /** Of the style: 1 is the voice's own pace. */
  speed: number;
  /** From the request, or the end of the clause before it, to its last audio. */
  tookMs: number;
  audioMs: number;
}

interface VoiceSpeed {
  /** Seconds of synthesis per second of audio. */
  realTimeFactor: number;
  /** At speed 1. */
  msPerUnit: number;
}

/** Until a voice has spoken: 15 characters a second. */
const DEFAULT_MS_PER_UNIT = 67;
/** `2024` is read out as three words. */
const UNITS_PER_DIGIT = 5;
/** A voice that slows down is noticed at once, one that speeds up is believed by and by. */
const RISING_SHARE = 0.6;
const FALLING_SHARE = 0.25;
const LENGTH_SHARE = 0.25;
const MAX_VOICES = 500;

/**
 * How fast voices are synthesized here and how long their words take, measured as they speak: with it playback starts
 * when it will not run dry. One serves all calls of a process.
 */
export class VoiceSpeeds {
  /** The one measured longest ago first. */
  readonly #speeds = new Map<string, VoiceSpeed>();

  /** Seconds of synthesis per second of audio; `undefined` if the voice has not spoken and nothing is assumed of it. */
  realTimeFactorOf(voice: AgentVoice): number | undefined {
    return this.#speeds.get(keyOf(voice))?.realTimeFactor ?? voice.tts.assumedRealTimeFactor;
  }

  /** How long a text will probably be as audio. */
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
