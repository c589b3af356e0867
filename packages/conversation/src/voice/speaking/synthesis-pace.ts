import type { AgentVoice } from "./agent-voice.ts";
import type { SynthesizedClause, VoiceSpeeds } from "./voice-speeds.ts";

/** A clause whose audio is arriving. */
export interface ClauseUnderWay {
  text: string;
  arrivedMs: number;
  /** Audio not played yet. */
  bufferedMs: number;
  /** Its audio was once expected in time and was late. */
  hasRunDry: boolean;
}

export interface SynthesisPaceOptions {
  speeds: VoiceSpeeds;
  /** Speaking speed of the style; 1 is the voice's own pace. */
  speed: number;
  /** The current voice. */
  voice: () => AgentVoice;
  /** Monotonic milliseconds. */
  now: () => number;
}

/** Margin for the audio length of a text, which varies. */
const LENGTH_MARGIN = 1.1;
/** Margin for the share of a clause that is synthesized first: if that is too little for the clause to begin, all of it is waited for. */
const START_MARGIN = 1.25;
/** Minimum share of a clause that may still be missing. */
const MIN_REST = 0.1;
/** A voice that streams at least this fast makes up for delays: its next piece alone must arrive in time, not the whole rest. */
const MAX_STREAMING_FACTOR = 0.5;
/** Relative to its first audio, the rest of a clause of a local voice is synthesized at most this fast: only the first waits for the model to read the text. */
const MAX_SPEED_UP = 2;
/** Audio that arrives within this time is one piece, which a local voice sends in chunks of 200 ms. */
const SAME_PIECE_MS = 20;
/** Audio from which a clause begins in any case, so that an endless clause is heard. */
const MAX_WAIT_MS = 5_000;

/** Synthesis speed of one speech: measures its clauses and predicts the next ones. */
export class SynthesisPace {
  readonly #options: SynthesisPaceOptions;
  /** Open clauses of the stream, in order. */
  readonly #texts = new Map<number, string>();
  /** Time since which the first of them is being synthesized. */
  #beganAt = 0;
  /** First audio of that clause. */
  #first: SynthesizedClause["first"];
  #arrivedMs = 0;
  /** Time of the latest audio. */
  #audioAt = -Infinity;
  /** Audio before the piece that is arriving. */
  #beforePieceMs = 0;
  #longestPieceMs = 0;
  /** The stream was paused during the clause, so its duration is not measured. */
  #wasPaused = false;

  constructor(options: SynthesisPaceOptions) {
    this.#options = options;
  }

  /** Starts a new stream. */
  begin(): void {
    this.#texts.clear();
  }

  noteRequest(id: number, text: string): void {
    if (this.#texts.size === 0) this.#beginClause(false);
    this.#texts.set(id, text);
  }

  /** @param audioMs Audio of the clause so far. */
  noteAudio(audioMs: number): void {
    const nowMs = this.#options.now();
    if (nowMs - this.#audioAt > SAME_PIECE_MS) this.#beforePieceMs = this.#arrivedMs;
    this.#audioAt = nowMs;
    this.#longestPieceMs = Math.max(this.#longestPieceMs, audioMs - this.#beforePieceMs);
    this.#arrivedMs = audioMs;
    const tookMs = this.#first?.tookMs ?? nowMs - this.#beganAt;
    if (this.#beforePieceMs === 0) this.#first = { tookMs, audioMs };
  }

  notePause(): void {
    this.#wasPaused = true;
  }

  noteEnd(
    id: number,
    { audioMs, isCached, isPaused }: { audioMs: number; isCached: boolean; isPaused: boolean },
  ): void {
    const { now, speeds, speed, voice } = this.#options;
    const text = this.#texts.get(id);
    this.#texts.delete(id);
    const tookMs = now() - this.#beganAt;
    if (text !== undefined && isCached) speeds.observeLength(voice(), { text, speed, audioMs });
    else if (text !== undefined && !this.#wasPaused) {
      const streaming = this.#first && { first: this.#first, longestPieceMs: this.#longestPieceMs };
      speeds.observe(voice(), { text, speed, tookMs, audioMs, ...streaming });
    }
    this.#beginClause(isPaused);
  }

  /** Expected synthesis time of the current clause; 0 if unknown. */
  get expectedMs(): number {
    const [text = ""] = this.#texts.values();
    const { speeds, voice } = this.#options;
    return this.#lengthMs(text) * (speeds.realTimeFactorOf(voice()) ?? 0);
  }

  /** Share (0–1) of a clause of which the buffered audio probably lasts until the rest arrives. */
  get startShare(): number {
    const { speeds, voice } = this.#options;
    const factor = speeds.streamingFactorOf(voice());
    // A first share s plays until the rest is there if s ≥ factor × (1 − s).
    return factor === undefined || factor >= 1 ? 1 : Math.min(1, (START_MARGIN * factor) / (1 + factor));
  }

  /** Whether the buffered audio probably lasts until the rest of the clause arrives. */
  willSuffice({ text, arrivedMs, bufferedMs, hasRunDry }: ClauseUnderWay): boolean {
    if (bufferedMs >= MAX_WAIT_MS) return true;
    const { speeds, voice } = this.#options;
    const known = speeds.streamingFactorOf(voice());
    const usual = known ?? this.#measuredFactor;
    if (usual === undefined || hasRunDry) return false;
    const factor = Math.max(usual, this.#factorOfFirstPiece);
    if (factor >= 1) return false;
    const lengthMs = this.#lengthMs(text);
    const restMs = Math.max(lengthMs * LENGTH_MARGIN - arrivedMs, lengthMs * MIN_REST);
    const isFast = factor <= MAX_STREAMING_FACTOR;
    const pieceMs = known === undefined ? this.#longestPieceMs : speeds.pieceMsOf(voice());
    return bufferedMs >= factor * (isFast ? Math.min(restMs, pieceMs) : restMs);
  }

  /**
   * Synthesis time per audio of the current clause after its first piece; `undefined` before the second piece. For voices that were
   * never measured, such as the one that takes over in the first call.
   */
  get #measuredFactor(): number | undefined {
    if (this.#first === undefined || this.#beforePieceMs === 0) return undefined;
    const tookMs = this.#audioAt - this.#beganAt - this.#first.tookMs;
    return tookMs / (this.#arrivedMs - this.#first.audioMs);
  }

  /**
   * Minimum of the synthesis time per audio of the current clause, by its first audio, on a machine that has become busy since
   * the voice was measured. 0 for vendors: their wait for the first audio says nothing about the rest.
   */
  get #factorOfFirstPiece(): number {
    const { tts } = this.#options.voice();
    if (tts.assumedRealTimeFactorOf === undefined || this.#first === undefined) return 0;
    return this.#first.tookMs / (MAX_SPEED_UP * this.#first.audioMs);
  }

  #beginClause(isPaused: boolean): void {
    this.#beganAt = this.#options.now();
    this.#first = undefined;
    this.#arrivedMs = 0;
    this.#audioAt = -Infinity;
    this.#beforePieceMs = 0;
    this.#longestPieceMs = 0;
    this.#wasPaused = isPaused;
  }

  #lengthMs(text: string): number {
    const { speeds, speed, voice } = this.#options;
    return speeds.expectedMs(voice(), text, speed);
  }
}
