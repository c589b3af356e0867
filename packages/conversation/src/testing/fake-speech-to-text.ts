import { ProviderError } from "../providers/provider-error.ts";
import type { SpeechToText, SpeechToTextOptions, SpeechToTextStream } from "../providers/speech-to-text.ts";
import { systemTimers, type Timers } from "../timers.ts";

/** How the recognizer answers a flush. */
export type FakeFlushAnswer = "text" | "stall" | "fail" | "failForGood";

/** A recognizer that is told what the caller says, instead of listening. */
export class FakeSpeechToText implements SpeechToText {
  readonly name = "fake/stt";
  /** From a flush to its text. */
  delayMs = 80;
  /** What is understood of every utterance, where nothing was told by `hearWords`. */
  textOfSpeech = "";
  /** Answers to the coming flushes, in order; `text` once they are used up. */
  readonly answers: FakeFlushAnswer[] = [];
  readonly streams: FakeSpeechToTextStream[] = [];
  readonly timers: Timers;
  #spoken: string[] = [];

  constructor(timers: Timers = systemTimers) {
    this.timers = timers;
  }

  open(options: SpeechToTextOptions): FakeSpeechToTextStream {
    const stream = new FakeSpeechToTextStream(this, options);
    this.streams.push(stream);
    return stream;
  }

  /** The caller says this from now on: it belongs to the utterance that is open, or else to the next. */
  hearWords(text: string): void {
    this.#spoken.push(text);
  }

  get text(): string {
    return this.#spoken.length === 0 ? this.textOfSpeech : this.#spoken.join(" ");
  }

  forget(): void {
    this.#spoken = [];
  }
}

export class FakeSpeechToTextStream implements SpeechToTextStream {
  samplesWritten = 0;
  readonly leadsMs: number[] = [];
  /** Samples written when each utterance was marked. */
  readonly writtenAtStart: number[] = [];
  isClosed = false;
  readonly #recognizer: FakeSpeechToText;
  readonly #options: SpeechToTextOptions;
  #cancelAnswer: (() => void) | undefined;

  constructor(recognizer: FakeSpeechToText, options: SpeechToTextOptions) {
    this.#recognizer = recognizer;
    this.#options = options;
  }

  write(pcm: Int16Array): void {
    this.samplesWritten += pcm.length;
  }

  startUtterance(leadMs: number): void {
    this.leadsMs.push(leadMs);
    this.writtenAtStart.push(this.samplesWritten);
  }

  flush(flushId: number): void {
    this.#cancelAnswer?.();
    if (this.isClosed) return;
    const answer = this.#recognizer.answers.shift() ?? "text";
    if (answer === "stall") return;
    this.#cancelAnswer = this.#recognizer.timers.set(this.#recognizer.delayMs, () => {
      if (answer === "text") {
        this.#options.onEvent({ type: "flushed", flushId, text: this.#recognizer.text });
      } else this.fail(answer === "fail");
    });
  }

  endUtterance(): void {
    this.#cancelAnswer?.();
    this.#recognizer.forget();
  }

  fail(isRetryable: boolean): void {
    if (this.isClosed) return;
    this.close();
    const error = new ProviderError({
      provider: this.#recognizer.name,
      kind: "connection",
      message: "connection lost",
      isRetryable,
    });
    this.#options.onEvent({ type: "failed", error });
  }

  close(): void {
    this.isClosed = true;
    this.#cancelAnswer?.();
  }
}
