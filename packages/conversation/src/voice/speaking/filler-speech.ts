import type { SampleRateHz } from "../../providers/speech-to-text.ts";
import { heardText } from "./heard-text.ts";
import { endpointAt } from "../turns/turn-deadlines.ts";
import type { TurnState } from "../turns/turn-state.ts";

/** Silence before a filler phrase. Callers take a line for dead after about two seconds. */
const FILLER_DELAY_MS = 1300;
/**
 * Silences before each filler phrase while a tool runs. A tool is known to take time, so the first phrase comes sooner
 * than for a model, and the second one later.
 */
const TOOL_FILLER_DELAYS_MS = [1000, 4000] as const;
/** Filler phrases for one owed answer. More of them promise an answer that may never come. */
const MAX_FILLERS = 2;
/** Wait after the last filler phrase before the agent admits that it has no answer. Longer than a model's two deadlines. */
const ANSWER_TIMEOUT_MS = 6000;
/** Caller speech that stops a filler phrase, as long as a barge-in. */
const YIELD_AFTER_MS = 200;
const FRAME_MS = 20;
const FADE_MS = 5;

/** A short text to say while an answer takes long. */
interface FillerPhrase {
  text: string;
  pcm: Int16Array;
}

export interface FillerSpeechOptions {
  sampleRateHz: SampleRateHz;
  /** The phrases that are synthesized so far; called at every silence. */
  phrases: () => readonly FillerPhrase[];
  onSpoken: (phrase: { text: string; startMs: number; endMs: number; isInterrupted: boolean }) => void;
}

export interface FillerMoment {
  /** Media time. */
  atMs: number;
  /** Whether the agent owes speech and has no audio to hand out. */
  isSpeechDue: boolean;
  /** Whether it waits for a tool. */
  isToolAwaited: boolean;
  isCallerSpeaking: boolean;
}

interface Playing {
  phrase: FillerPhrase;
  startMs: number;
  /** Samples already handed out. */
  offset: number;
  /** Duration of the caller's speech over the phrase. */
  spokenOverMs: number;
}

/** Plays a phrase such as "one moment" when an answer is due and does not arrive. */
export class FillerSpeech {
  readonly #options: FillerSpeechOptions;
  readonly #frame: Int16Array;
  #silentSinceMs: number | undefined;
  #wasToolAwaited = false;
  /** Phrases said for the owed answer. */
  #nextIndex = 0;
  /** Media time of the end of the last allowed phrase; `undefined` before it, and once `takeOverdue` has reported it. */
  #exhaustedAtMs: number | undefined;
  #playing: Playing | undefined;

  constructor(options: FillerSpeechOptions) {
    this.#options = options;
    this.#frame = new Int16Array((FRAME_MS * options.sampleRateHz) / 1000);
  }

  /** Whether a phrase is playing. The agent's speech waits for its end. */
  get isPlaying(): boolean {
    return this.#playing !== undefined;
  }

  /** The next frame of a phrase, valid until the next call. Called once per tick without other audio. */
  nextFrame(moment: FillerMoment): Int16Array | undefined {
    if (this.#playing === undefined && !this.#isDue(moment)) return undefined;
    const playing = this.#playing ?? this.#begin(moment.atMs);
    if (playing === undefined) return undefined;
    playing.spokenOverMs = moment.isCallerSpeaking ? playing.spokenOverMs + FRAME_MS : 0;
    return playing.spokenOverMs >= YIELD_AFTER_MS
      ? this.#cutOff(moment.atMs)
      : this.#play(playing, moment.atMs);
  }

  /** Starts over with the first phrase, because the agent itself was heard. */
  reset(): void {
    this.#silentSinceMs = undefined;
    this.#nextIndex = 0;
    this.#exhaustedAtMs = undefined;
  }

  /** Whether the owed answer has not come within a time after the last phrase. True once per answer. */
  takeOverdue({ atMs, isSpeechDue, isCallerSpeaking }: FillerMoment): boolean {
    const isOverdue = atMs - (this.#exhaustedAtMs ?? Infinity) >= ANSWER_TIMEOUT_MS;
    if (!isOverdue || !isSpeechDue || isCallerSpeaking) return false;
    this.#exhaustedAtMs = undefined;
    return true;
  }

  /** Stops the current phrase for a caller who speaks, and returns its faded end. */
  #cutOff(atMs: number): Int16Array | undefined {
    const playing = this.#playing;
    if (playing === undefined) return undefined;
    const { pcm } = playing.phrase;
    const fadeSamples = (this.#frame.length * FADE_MS) / FRAME_MS;
    this.#frame.fill(0);
    for (let i = 0; i < fadeSamples; i++)
      this.#frame[i] = ((pcm[playing.offset + i] ?? 0) * (fadeSamples - i)) / (fadeSamples + 1);
    this.#end(atMs, true);
    return this.#frame;
  }

  /** Stops the current phrase and discounts its last `durationMs`, which never reached the caller. */
  lose(durationMs: number, atMs: number): void {
    const playing = this.#playing;
    if (playing === undefined) return;
    const samplesPerMs = this.#options.sampleRateHz / 1000;
    playing.offset = Math.max(0, playing.offset - Math.round(durationMs * samplesPerMs));
    this.#end(atMs);
  }

  #isDue({ atMs, isSpeechDue, isToolAwaited, isCallerSpeaking }: FillerMoment): boolean {
    if (!isSpeechDue || isCallerSpeaking) {
      this.#silentSinceMs = undefined;
      return false;
    }
    // The tool has returned and the model's answer is due: that is a new wait.
    if (this.#wasToolAwaited && !isToolAwaited) this.#silentSinceMs = undefined;
    this.#wasToolAwaited = isToolAwaited;
    this.#silentSinceMs ??= atMs;
    if (this.#nextIndex >= MAX_FILLERS) return false;
    return atMs - this.#silentSinceMs >= (isToolAwaited ? this.#toolFillerDelayMs : FILLER_DELAY_MS);
  }

  get #toolFillerDelayMs(): number {
    return TOOL_FILLER_DELAYS_MS[this.#nextIndex] ?? FILLER_DELAY_MS;
  }

  #begin(atMs: number): Playing | undefined {
    const phrases = this.#options.phrases();
    const phrase = phrases[this.#nextIndex % Math.max(1, phrases.length)];
    if (phrase === undefined) return undefined;
    this.#nextIndex++;
    this.#playing = { phrase, startMs: atMs, offset: 0, spokenOverMs: 0 };
    return this.#playing;
  }

  #play(playing: Playing, atMs: number): Int16Array {
    const { pcm } = playing.phrase;
    const chunk = pcm.subarray(playing.offset, playing.offset + this.#frame.length);
    this.#frame.fill(0, chunk.length);
    this.#frame.set(chunk);
    playing.offset += chunk.length;
    if (playing.offset >= pcm.length) this.#end(atMs + FRAME_MS);
    return this.#frame;
  }

  #end(atMs: number, isCutOff = false): void {
    const playing = this.#playing;
    if (playing === undefined) return;
    this.#playing = undefined;
    this.#silentSinceMs = undefined;
    if (this.#nextIndex >= MAX_FILLERS) this.#exhaustedAtMs = atMs;
    const { text, pcm } = playing.phrase;
    const samplesPerMs = this.#options.sampleRateHz / 1000;
    const heard = heardText({
      text,
      playedMs: playing.offset / samplesPerMs,
      arrivedMs: pcm.length / samplesPerMs,
      isComplete: true,
      words: [],
    });
    const { startMs } = playing;
    const isInterrupted = isCutOff && heard !== text;
    if (heard !== "") this.#options.onSpoken({ text: heard, startMs, endMs: atMs, isInterrupted });
  }
}

/** Whether the caller's turn is over by its silence and its text is still missing. */
export function isTextOverdue(state: TurnState, atMs: number): boolean {
  const flush = state.utterance?.flush;
  return (
    state.agent.phase === "idle" &&
    flush !== undefined &&
    flush.answer === undefined &&
    endpointAt(state) <= atMs
  );
}
