import { ProviderError } from "../providers/provider-error.ts";
import type { SpeechToText, SpeechToTextOptions, SpeechToTextStream } from "../providers/speech-to-text.ts";
import { systemTimers, type Timers } from "../timers.ts";

/** Answer to a flush. */
export type FakeFlushAnswer = "text" | "stall" | "fail" | "failForGood";

/** A recognizer that receives the caller's words from the test. */
export class FakeSpeechToText implements SpeechToText {
  readonly name = "fake/stt";
  /** Delay from a flush to its text. */
  delayMs = 80;
  /** Text of every utterance for which `hearWords` was not called. */
  textOfSpeech = "";
  /** Answers to the next flushes, in order; `text` afterwards. */
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

  /** Adds words of the caller to the open utterance, or else to the next one. */
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
  /** Number of samples written at the start of each utterance. */
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
