import { ProviderError } from "../providers/provider-error.ts";
import type {
  TextToSpeech,
  TextToSpeechOptions,
  TextToSpeechStream,
  WordTiming,
} from "../providers/text-to-speech.ts";
import { systemTimers, type Timers } from "../timers.ts";
import { tone } from "./tone.ts";

/** Behavior of a stream: correct, or failing or stalling before or after its first audio. */
export type FakeSynthesis = "ok" | "fail" | "failForGood" | "stall" | "failAfterAudio" | "stallAfterAudio";

/** Voice that speaks tones as long as the text would take. */
export class FakeTextToSpeech implements TextToSpeech {
  readonly name = "fake/tts";
  /** Delay from a clause to its first audio. */
  firstByteMs = 60;
  msPerCharacter = 60;
  chunkMs = 200;
  /** Interval between chunks; shorter than the chunks, as synthesis is faster than real time. */
  chunkIntervalMs = 40;
  sendsWordTimings = false;
  /** Audio of a clause after which a phrase ends; a multiple of `chunkMs`. */
  phraseMs: number | undefined;
  /** Behavior of the next streams, in order; `ok` afterwards. */
  readonly behaviors: FakeSynthesis[] = [];
  readonly streams: FakeTextToSpeechStream[] = [];
  readonly timers: Timers;

  constructor(timers: Timers = systemTimers) {
    this.timers = timers;
  }

  open(options: TextToSpeechOptions): FakeTextToSpeechStream {
    const stream = new FakeTextToSpeechStream(this, options, this.behaviors.shift() ?? "ok");
    this.streams.push(stream);
    return stream;
  }

  /** The texts received, by stream. */
  get spoken(): string[][] {
    return this.streams.map((stream) => stream.spoken);
  }

  durationMs(text: string): number {
    return Math.max(this.chunkMs, text.length * this.msPerCharacter);
  }
}

export class FakeTextToSpeechStream implements TextToSpeechStream {
  readonly spoken: string[] = [];
  isClosed = false;
  isPaused = false;
  readonly #voice: FakeTextToSpeech;
  readonly #options: TextToSpeechOptions;
  readonly #behavior: FakeSynthesis;
  readonly #clauses: { id: number; text: string; leftMs: number; isStarted: boolean }[] = [];
  #hasEnded = false;
  #chunksSent = 0;
  #cancelTimer: (() => void) | undefined;

  constructor(voice: FakeTextToSpeech, options: TextToSpeechOptions, behavior: FakeSynthesis) {
    this.#voice = voice;
    this.#options = options;
    this.#behavior = behavior;
  }

  speak(clauseId: number, text: string): void {
    this.spoken.push(text);
    this.#clauses.push({ id: clauseId, text, leftMs: this.#voice.durationMs(text), isStarted: false });
    this.#schedule(this.#voice.firstByteMs);
  }

  end(): void {
    this.#hasEnded = true;
    this.#schedule(0);
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
    this.#schedule(0);
  }

  close(): void {
    this.isClosed = true;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  #schedule(delayMs: number): void {
    if (this.isClosed || this.#cancelTimer !== undefined) return;
    this.#cancelTimer = this.#voice.timers.set(delayMs, () => {
      this.#cancelTimer = undefined;
      this.#work();
    });
  }

  #work(): void {
    const clause = this.#clauses[0];
    if (clause === undefined) {
      if (!this.#hasEnded) return;
      this.#options.onEvent({ type: "ended" });
      return this.close();
    }
    if (this.isPaused || this.#isBroken()) return;
    const { id: clauseId, text } = clause;
    if (!clause.isStarted && this.#voice.sendsWordTimings) {
      this.#options.onEvent({ type: "words", clauseId, words: this.#timeWords(text) });
    }
    clause.isStarted = true;
    const durationMs = Math.min(clause.leftMs, this.#voice.chunkMs);
    clause.leftMs -= durationMs;
    this.#chunksSent++;
    this.#options.onEvent({
      type: "audio",
      clauseId,
      pcm: tone(durationMs, this.#options.sampleRateHz, 4000),
      endsPhrase: (this.#voice.durationMs(text) - clause.leftMs) % (this.#voice.phraseMs ?? Infinity) === 0,
    });
    if (clause.leftMs <= 0) {
      this.#clauses.shift();
      this.#options.onEvent({ type: "clauseEnded", clauseId });
    }
    const nextClause = this.#clauses[0];
    this.#schedule(nextClause?.isStarted === false ? this.#voice.firstByteMs : this.#voice.chunkIntervalMs);
  }

  #isBroken(): boolean {
    const isAtFault = this.#behavior.endsWith("AfterAudio") ? this.#chunksSent >= 2 : this.#behavior !== "ok";
    if (isAtFault && this.#behavior.startsWith("fail")) {
      const isRetryable = this.#behavior !== "failForGood";
      const { name: provider } = this.#voice;
      const error = new ProviderError({
        provider,
        kind: "connection",
        message: "connection lost",
        isRetryable,
      });
      this.#options.onEvent({ type: "failed", error });
    }
    return isAtFault;
  }

  #timeWords(text: string): WordTiming[] {
    const msPerCharacter = this.#voice.durationMs(text) / text.length;
    return [...text.matchAll(/\S+/g)].map(({ 0: word, index }) => ({
      text: word,
      startMs: index * msPerCharacter,
      endMs: (index + word.length) * msPerCharacter,
    }));
  }
}
