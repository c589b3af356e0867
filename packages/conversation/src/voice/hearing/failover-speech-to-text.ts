import { timeoutError } from "../../dialogue/deadline.ts";
import type { ProviderError } from "../../providers/provider-error.ts";
import type {
  SpeechToText,
  SpeechToTextEvent,
  SpeechToTextOptions,
  SpeechToTextStream,
} from "../../providers/speech-to-text.ts";
import { systemTimers, type Timers } from "../../timers.ts";
import { AudioTail } from "./audio-tail.ts";

/** Maximum audio of an utterance that is replayed. */
const REPLAY_MS = 15_000;
/** Audio kept from before an utterance, for its lead. */
const LEAD_MS = 1_000;
/** Length of the memory chunks. */
const CHUNK_MS = 200;
/** Attempts with one recognizer: a lost connection is reopened once. */
const MAX_ATTEMPTS = 2;

export interface Recognizer {
  stt: SpeechToText;
  /** Maximum wait for the answer to a flush. */
  answerDeadlineMs: number;
}

export interface FailoverSpeechToTextOptions {
  /** In order of preference; not empty. */
  recognizers: readonly [Recognizer, ...Recognizer[]];
  timers?: Timers;
}

/**
 * Speech to text that survives the failure of a recognizer. A recognizer that loses its connection, refuses or does not
 * answer is reopened or replaced by the next, which receives the audio of the utterance from its start and then the
 * open flush. A call stays with its last recognizer. Each recovery is reported as `recovered`.
 */
export function createFailoverSpeechToText(options: FailoverSpeechToTextOptions): SpeechToText {
  const { recognizers, timers = systemTimers } = options;
  return {
    name: recognizers[0].stt.name,
    open: (call) => new FailoverStream(recognizers, timers, call),
  };
}

class FailoverStream implements SpeechToTextStream {
  readonly #recognizers: readonly Recognizer[];
  readonly #timers: Timers;
  readonly #call: SpeechToTextOptions;
  readonly #audio: AudioTail;
  /** Audio since the start of the utterance including its lead; `undefined` between utterances. */
  #utteranceSamples: number | undefined;
  #flushId: number | undefined;
  #cancelDeadline: (() => void) | undefined;
  #index = 0;
  #attempts = 0;
  #stream: SpeechToTextStream | undefined;

  constructor(recognizers: readonly Recognizer[], timers: Timers, call: SpeechToTextOptions) {
    this.#recognizers = recognizers;
    this.#timers = timers;
    this.#call = call;
    this.#audio = new AudioTail(this.#toSamples(CHUNK_MS));
    this.#stream = this.#open();
  }

  write(pcm: Int16Array): void {
    this.#audio.write(pcm);
    if (this.#utteranceSamples !== undefined) this.#utteranceSamples += pcm.length;
    this.#forgetOldAudio();
    this.#stream?.write(pcm);
  }

  startUtterance(leadMs: number): void {
    this.#utteranceSamples = Math.min(this.#audio.samples, this.#toSamples(leadMs));
    this.#stream?.startUtterance(leadMs);
  }

  flush(flushId: number): void {
    if (this.#stream === undefined) return;
    this.#flushId = flushId;
    this.#stream.flush(flushId);
    this.#expectAnswer();
  }

  endUtterance(): void {
    this.#utteranceSamples = undefined;
    this.#flushId = undefined;
    this.#cancelDeadline?.();
    this.#stream?.endUtterance();
  }

  close(): void {
    this.#cancelDeadline?.();
    this.#stream?.close();
    this.#stream = undefined;
    this.#audio.clear();
  }

  #open(): SpeechToTextStream | undefined {
    this.#attempts++;
    const stream: SpeechToTextStream | undefined = this.#recognizers[this.#index]?.stt.open({
      ...this.#call,
      onEvent: (event) => {
        if (stream !== undefined && stream === this.#stream) this.#receive(event);
      },
    });
    return stream;
  }

  #receive(event: SpeechToTextEvent): void {
    if (event.type === "failed") return this.#recover(event.error);
    if (event.type === "flushed") {
      if (event.flushId !== this.#flushId) return;
      this.#flushId = undefined;
      this.#attempts = 1;
      this.#cancelDeadline?.();
    }
    this.#call.onEvent(event);
  }

  #expectAnswer(): void {
    this.#cancelDeadline?.();
    const recognizer = this.#recognizers[this.#index];
    if (recognizer === undefined) return;
    const { stt, answerDeadlineMs } = recognizer;
    this.#cancelDeadline = this.#timers.set(answerDeadlineMs, () =>
      this.#recover(timeoutError(stt.name, "no text", answerDeadlineMs)),
    );
  }

  #recover(error: ProviderError): void {
    this.#cancelDeadline?.();
    this.#stream?.close();
    this.#stream = undefined;
    if (!this.#chooseRecognizer(error)) return this.#call.onEvent({ type: "failed", error });
    const takenOverBy = this.#recognizers[this.#index]?.stt.name ?? "";
    this.#call.onEvent({ type: "recovered", error, takenOverBy });
    const stream = this.#open();
    this.#stream = stream;
    if (stream !== undefined) this.#replay(stream);
    if (this.#flushId === undefined) return;
    stream?.flush(this.#flushId);
    this.#expectAnswer();
  }

  /** Marks the utterance at its first sample, because recognizers keep little audio from before. */
  #replay(stream: SpeechToTextStream): void {
    let before = this.#audio.samples - (this.#utteranceSamples ?? 0);
    let isMarked = this.#utteranceSamples === undefined;
    for (const pcm of this.#audio.views(this.#utteranceSamples ?? 0)) {
      if (!isMarked && before <= 0) {
        stream.startUtterance(0);
        isMarked = true;
      }
      stream.write(pcm);
      before -= pcm.length;
    }
    if (!isMarked) stream.startUtterance(0);
  }

  #chooseRecognizer(error: ProviderError): boolean {
    if (error.isRetryable && this.#attempts < MAX_ATTEMPTS) return true;
    if (this.#index + 1 >= this.#recognizers.length) return false;
    this.#index++;
    this.#attempts = 0;
    return true;
  }

  #forgetOldAudio(): void {
    const utterance = this.#utteranceSamples ?? 0;
    const kept = Math.min(this.#toSamples(REPLAY_MS), utterance + this.#toSamples(LEAD_MS));
    this.#audio.forgetBefore(kept);
    if (utterance > this.#audio.samples) this.#utteranceSamples = this.#audio.samples;
  }

  #toSamples(ms: number): number {
    return (ms * this.#call.sampleRateHz) / 1000;
  }
}
