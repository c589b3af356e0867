import type { SampleRateHz } from "../../providers/speech-to-text.ts";
import { heardText } from "./heard-text.ts";
import { endpointAt } from "../turns/turn-deadlines.ts";
import type { TurnState } from "../turns/turn-state.ts";

/** People take a line for dead after about two seconds; a phrase at hand is said well before. */
const FILLER_DELAY_MS = 1300;
/**
 * The silences before each phrase for a tool; the last one goes for all others. It is known to take time, while a model may
 * be about to begin: the first phrase comes sooner, and who was told so needs to hear of it less and less often.
 */
const TOOL_FILLER_DELAYS_MS = [1000, 4000, 6000, 8000] as const;
/** The caller has taken the word: as much speech as a barge-in needs. */
const YIELD_MS = 200;
const FRAME_MS = 20;
const FADE_MS = 5;

/** Something short to say while an answer takes long. */
interface FillerPhrase {
  text: string;
  pcm: Int16Array;
}

export interface FillerSpeechOptions {
  sampleRateHz: SampleRateHz;
  /** What can be said, as far as it is at hand; asked for at every silence. */
  phrases: () => readonly FillerPhrase[];
  onSaid: (phrase: { text: string; startMs: number; endMs: number; isWhole: boolean }) => void;
}

export interface FillerMoment {
  /** Media clock. */
  atMs: number;
  /** The agent owes speech and has none to hand out. */
  isOwed: boolean;
  /** It is a tool that it waits for. */
  isToolAwaited: boolean;
  isCallerSpeaking: boolean;
}

interface Playing {
  phrase: FillerPhrase;
  startMs: number;
  /** Samples handed out. */
  offset: number;
  /** How long the caller has been speaking over it. */
  spokenOverMs: number;
}

/** Keeps the line alive: says "one moment" where an answer is owed and does not come. */
export class FillerSpeech {
  readonly #options: FillerSpeechOptions;
  readonly #frame: Int16Array;
  #silentSinceMs: number | undefined;
  #wasToolAwaited = false;
  #next = 0;
  #playing: Playing | undefined;

  constructor(options: FillerSpeechOptions) {
    this.#options = options;
    this.#frame = new Int16Array((FRAME_MS * options.sampleRateHz) / 1000);
  }

  /** A phrase is being said: what the agent means to say waits until it is over. */
  get isPlaying(): boolean {
    return this.#playing !== undefined;
  }

  /** Once per tick in which nothing else is handed out; the frame is valid until the next call. */
  nextFrame(moment: FillerMoment): Int16Array | undefined {
    if (this.#playing === undefined && !this.#isDue(moment)) return undefined;
    const playing = this.#playing ?? this.#begin(moment.atMs);
    if (playing === undefined) return undefined;
    playing.spokenOverMs = moment.isCallerSpeaking ? playing.spokenOverMs + FRAME_MS : 0;
    return playing.spokenOverMs >= YIELD_MS ? this.cutOff(moment.atMs) : this.#play(playing, moment.atMs);
  }

  /** The agent itself was heard: the next wait begins with the first phrase again. */
  reset(): void {
    this.#silentSinceMs = undefined;
    this.#next = 0;
  }

  /** Stops the phrase that is being said; returns its faded end. */
  cutOff(atMs: number): Int16Array | undefined {
    const playing = this.#playing;
    if (playing === undefined) return undefined;
    const { pcm } = playing.phrase;
    const fadeSamples = (this.#frame.length * FADE_MS) / FRAME_MS;
    this.#frame.fill(0);
    for (let i = 0; i < fadeSamples; i++)
      this.#frame[i] = ((pcm[playing.offset + i] ?? 0) * (fadeSamples - i)) / (fadeSamples + 1);
    this.#end(atMs);
    return this.#frame;
  }

  /** Stops the phrase that is being said, the last of which was never heard. */
  lose(durationMs: number, atMs: number): void {
    const playing = this.#playing;
    if (playing === undefined) return;
    const samplesPerMs = this.#options.sampleRateHz / 1000;
    playing.offset = Math.max(0, playing.offset - Math.round(durationMs * samplesPerMs));
    this.#end(atMs);
  }

  #isDue({ atMs, isOwed, isToolAwaited, isCallerSpeaking }: FillerMoment): boolean {
    if (!isOwed || isCallerSpeaking) {
      this.#silentSinceMs = undefined;
      return false;
    }
    // What the tool has answered is now the model's to tell: that is a wait of its own.
    if (this.#wasToolAwaited && !isToolAwaited) this.#silentSinceMs = undefined;
    this.#wasToolAwaited = isToolAwaited;
    this.#silentSinceMs ??= atMs;
    return atMs - this.#silentSinceMs >= (isToolAwaited ? this.#toolFillerDelayMs : FILLER_DELAY_MS);
  }

  get #toolFillerDelayMs(): number {
    return TOOL_FILLER_DELAYS_MS[Math.min(this.#next, TOOL_FILLER_DELAYS_MS.length - 1)] ?? FILLER_DELAY_MS;
  }

  #begin(atMs: number): Playing | undefined {
    const phrases = this.#options.phrases();
    const phrase = phrases[this.#next % Math.max(1, phrases.length)];
    if (phrase === undefined) return undefined;
    this.#next++;
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

  #end(atMs: number): void {
    const playing = this.#playing;
    if (playing === undefined) return;
    this.#playing = undefined;
    this.#silentSinceMs = undefined;
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
    if (heard !== "") this.#options.onSaid({ text: heard, startMs, endMs: atMs, isWhole: heard === text });
  }
}

/** The caller's turn is over by all that was heard, and its text has not come. */
export function isTextOverdue(state: TurnState, atMs: number): boolean {
  const flush = state.utterance?.flush;
  return (
    state.agent.phase === "idle" &&
    flush !== undefined &&
    flush.answer === undefined &&
    endpointAt(state) <= atMs
  );
}
