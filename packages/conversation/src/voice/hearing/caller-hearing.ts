import type { ProviderError } from "../../providers/provider-error.ts";
import type {
  HeardText,
  SpeechToText,
  SpeechToTextEvent,
  SpeechToTextOptions,
  SpeechToTextStream,
} from "../../providers/speech-to-text.ts";
import { withoutStrayQuotes } from "../stray-quotes.ts";

export interface CallerHearingOptions {
  stt: SpeechToText;
  stream: Omit<SpeechToTextOptions, "onEvent">;
  onText: (flushId: number, heard: HeardText) => void;
  /** Receives the text so far from recognizers that report it. */
  onPartial: (text: string) => void;
  /** The recognizer failed without losing audio. */
  onRecovered: (error: ProviderError, takenOverBy: string) => void;
  /** The utterance was lost; `isFatal` if the recognizer could not be reopened. */
  onLost: (error: ProviderError, isFatal: boolean) => void;
}

/** The call's recognizer. Reopened once after a retryable failure. */
export class CallerHearing {
  readonly #options: CallerHearingOptions;
  #stream: SpeechToTextStream | undefined;
  #attempt = 0;
  /** A text has arrived since the last opening, so another failure may be retried. */
  #hasAnswered = true;

  constructor(options: CallerHearingOptions) {
    this.#options = options;
  }

  /** Opens the recognizer unless it is open. */
  open(): void {
    if (this.#stream !== undefined) return;
    const attempt = ++this.#attempt;
    this.#stream = this.#options.stt.open({
      ...this.#options.stream,
      onEvent: (event) => {
        if (attempt === this.#attempt) this.#receive(event);
      },
    });
  }

  write(pcm: Int16Array): void {
    this.#stream?.write(pcm);
  }

  startUtterance(leadMs: number): void {
    this.#stream?.startUtterance(leadMs);
  }

  flush(flushId: number): void {
    this.#stream?.flush(flushId);
  }

  endUtterance(): void {
    this.#stream?.endUtterance();
  }

  close(): void {
    this.#attempt++;
    this.#stream?.close();
    this.#stream = undefined;
  }

  #receive(event: SpeechToTextEvent): void {
    if (event.type === "flushed") {
      this.#hasAnswered = true;
      const { flushId, text, certainty } = event;
      this.#options.onText(flushId, {
        text: withoutStrayQuotes(text),
        ...(certainty !== undefined && { certainty }),
      });
    } else if (event.type === "partial") {
      this.#options.onPartial(event.text);
    } else if (event.type === "recovered") {
      this.#options.onRecovered(event.error, event.takenOverBy);
    } else if (event.type === "failed") {
      const canReopen = event.error.isRetryable && this.#hasAnswered;
      this.close();
      if (canReopen) {
        this.#hasAnswered = false;
        this.open();
      }
      this.#options.onLost(event.error, !canReopen);
    }
  }
}
