import type { AgentVoice } from "./synthesis.ts";
import type { VoiceSpeeds } from "./voice-speeds.ts";

/** A clause whose audio is coming. */
export interface ClauseUnderWay {
  text: string;
  arrivedMs: number;
  /** Not played yet. */
  bufferedMs: number;
  /** It was expected in time before, and was not there. */
  hasRunDry: boolean;
}

export interface SynthesisPaceOptions {
  speeds: VoiceSpeeds;
  /** Of the style. */
  speed: number;
  /** Who speaks now. */
  voice: () => AgentVoice;
  /** Monotonic milliseconds. */
  now: () => number;
}

/** Texts of one length differ by so much as audio. */
const LENGTH_MARGIN = 1.1;
/** More of a clause may be to come than was expected. */
const MIN_REST = 0.1;
/** So much is heard at once whatever is to follow: no caller waits for a clause without end. */
const MAX_WAIT_MS = 5_000;

/** How fast one speech is synthesized: measures its clauses, and tells what is to be expected of them. */
export class SynthesisPace {
  readonly #options: SynthesisPaceOptions;
  /** Clauses of the stream that have not ended, in their order. */
  readonly #texts = new Map<number, string>();
  /** Since when the first of them is being made. */
  #beganAt = 0;
  /** The stream was paused during the clause, so that its time tells nothing. */
  #wasPaused = false;

  constructor(options: SynthesisPaceOptions) {
    this.#options = options;
  }

  /** A stream begins. */
  begin(): void {
    this.#texts.clear();
  }

  noteRequest(id: number, text: string): void {
    if (this.#texts.size === 0) {
      this.#beganAt = this.#options.now();
      this.#wasPaused = false;
    }
    this.#texts.set(id, text);
  }

  notePause(): void {
    this.#wasPaused = true;
  }

  noteEnd(
    id: number,
    { audioMs, isKept, isPaused }: { audioMs: number; isKept: boolean; isPaused: boolean },
  ): void {
    const { now, speeds, speed, voice } = this.#options;
    const text = this.#texts.get(id);
    this.#texts.delete(id);
    const tookMs = now() - this.#beganAt;
    if (text !== undefined && !isKept && !this.#wasPaused)
      speeds.observe(voice(), { text, speed, tookMs, audioMs });
    this.#beganAt = now();
    this.#wasPaused = isPaused;
  }

  /** How long the clause that is being made will probably take; 0 if that is not known. */
  get expectedMs(): number {
    const [text = ""] = this.#texts.values();
    const { speeds, voice } = this.#options;
    return this.#lengthMs(text) * (speeds.realTimeFactorOf(voice()) ?? 0);
  }

  /** Whether what is held of a clause probably plays until the rest of it is there. */
  willSuffice({ text, arrivedMs, bufferedMs, hasRunDry }: ClauseUnderWay): boolean {
    if (bufferedMs >= MAX_WAIT_MS) return true;
    const { speeds, voice } = this.#options;
    const factor = speeds.realTimeFactorOf(voice());
    if (factor === undefined || factor >= 1 || hasRunDry) return false;
    const lengthMs = this.#lengthMs(text);
    return bufferedMs >= factor * Math.max(lengthMs * LENGTH_MARGIN - arrivedMs, lengthMs * MIN_REST);
  }

  #lengthMs(text: string): number {
    const { speeds, speed, voice } = this.#options;
    return speeds.expectedMs(voice(), text, speed);
  }
}
