import { randomUUID } from "node:crypto";
import {
  type HeardText,
  ProviderError,
  type SpeechToText,
  type SpeechToTextEvent,
  type SpeechToTextOptions,
  type SpeechToTextStream,
} from "@parley/conversation";
import { errorMessage } from "@parley/conversation/error-message";
import type { InferenceClient } from "../inference/methods.ts";
import type { MoonshineSize } from "./model.ts";
import { SampleBuffer, SampleRing } from "../../samples.ts";
import { quietestPlace } from "./utterance.ts";

export interface LocalSpeechToTextOptions {
  /** Client of the process with the model. */
  inference: InferenceClient;
  /** Size of the model that this process holds. */
  size: () => MoonshineSize;
}

/** Audio before the detected onset that the model needs. */
const marginMs = 300;
/** Audio kept from before the onset is detected. */
const preRollMs = 1500;
/**
 * Maximum length of a piece. Longer utterances are transcribed in pieces, so that neither memory nor the wait at the
 * end grows.
 */
const maxPieceMs = 15_000;
/** Earliest cut within a full piece: its last third. */
const earliestCutMs = 10_000;
/** Initial capacity of an utterance. */
const firstCapacityMs = 4000;
const deadlineMs = 10_000;

/** The audio and texts of an utterance. */
class Utterance {
  readonly audio: SampleBuffer;
  /** Texts of the pieces cut off at the front. */
  readonly pieces: Promise<HeardText>[] = [];
  readonly abort = new AbortController();

  constructor(capacity: number) {
    this.audio = new SampleBuffer(capacity);
  }
}

class LocalSpeechToTextStream implements SpeechToTextStream {
  readonly #inference: InferenceClient;
  readonly #sampleRateHz: number;
  readonly #keyterms: readonly string[];
  readonly #onEvent: (event: SpeechToTextEvent) => void;
  readonly #streamId = randomUUID();
  readonly #recent: SampleRing;
  #utterance: Utterance | undefined;
  #flush: AbortController | undefined;
  #isClosed = false;

  constructor(inference: InferenceClient, { sampleRateHz, keyterms, onEvent }: SpeechToTextOptions) {
    this.#keyterms = keyterms;
    this.#inference = inference;
    this.#sampleRateHz = sampleRateHz;
    this.#onEvent = onEvent;
    this.#recent = new SampleRing(this.#samplesIn(preRollMs));
  }

  write(pcm: Int16Array): void {
    if (this.#isClosed) return;
    this.#recent.write(pcm);
    const utterance = this.#utterance;
    if (utterance === undefined) return;
    utterance.audio.append(pcm);
    if (utterance.audio.length >= this.#samplesIn(maxPieceMs)) this.#cut(utterance);
  }

  startUtterance(leadMs: number): void {
    if (this.#isClosed) return;
    this.endUtterance();
    this.#utterance = new Utterance(this.#samplesIn(firstCapacityMs));
    this.#utterance.audio.append(this.#recent.last(this.#samplesIn(leadMs + marginMs)));
  }

  flush(flushId: number): void {
    if (this.#isClosed) return;
    this.#flush?.abort();
    const superseded = new AbortController();
    this.#flush = superseded;
    this.#answer(flushId, this.#textOf(this.#utterance, superseded.signal), superseded.signal).catch(
      (error: unknown) => {
        if (!superseded.signal.aborted)
          this.#onEvent({ type: "failed", error: this.#toProviderError(error) });
      },
    );
  }

  endUtterance(): void {
    this.#flush?.abort();
    this.#utterance?.abort.abort();
    this.#flush = undefined;
    this.#utterance = undefined;
  }

  close(): void {
    this.endUtterance();
    this.#isClosed = true;
  }

  #samplesIn(ms: number): number {
    return Math.round((this.#sampleRateHz * ms) / 1000);
  }

  async #answer(flushId: number, answer: Promise<HeardText>, signal: AbortSignal): Promise<void> {
    const heard = await answer;
    if (!signal.aborted) this.#onEvent({ type: "flushed", flushId, ...heard });
  }

  async #textOf(utterance: Utterance | undefined, signal: AbortSignal): Promise<HeardText> {
    if (utterance === undefined) return { text: "" };
    const rest = this.#transcribe(utterance.audio.view().slice(), signal);
    const heard = (await Promise.all([...utterance.pieces, rest])).filter(({ text }) => text !== "");
    // Only the certainty at the end of the turn matters, which is in the last piece.
    return { ...heard.at(-1), text: heard.map(({ text }) => text).join(" ") };
  }

  #cut(utterance: Utterance): void {
    const place = quietestPlace(utterance.audio.view(), this.#samplesIn(earliestCutMs), this.#sampleRateHz);
    const piece = this.#transcribe(utterance.audio.shift(place), utterance.abort.signal);
    // A failed piece is reported by the flush that needs its text.
    piece.catch(() => undefined);
    utterance.pieces.push(piece);
  }

  async #transcribe(pcm: Int16Array, signal: AbortSignal): Promise<HeardText> {
    const params = {
      pcm,
      sampleRateHz: this.#sampleRateHz,
      streamId: this.#streamId,
      isFinal: true,
      keyterms: this.#keyterms,
    };
    return await this.#inference.request("transcribe", params, { signal, deadlineMs });
  }

  #toProviderError(error: unknown): ProviderError {
    if (error instanceof ProviderError) return error;
    const message = errorMessage(error);
    return new ProviderError({
      provider: "local/moonshine",
      kind: "status",
      message,
      isRetryable: false,
      cause: error,
    });
  }
}

/**
 * Moonshine as a conversation's recognizer: keeps a call's audio in the process of the call and requests text from the
 * inference process. English only; no partials. Uses 24 kB per call at 8 kHz, and up to
 * 0.5 MB during long speech.
 */
export class LocalSpeechToText implements SpeechToText {
  readonly #inference: InferenceClient;
  readonly #size: () => MoonshineSize;

  constructor({ inference, size }: LocalSpeechToTextOptions) {
    this.#inference = inference;
    this.#size = size;
  }

  get name(): string {
    return `local/moonshine-${this.#size()}`;
  }

  open(options: SpeechToTextOptions): SpeechToTextStream {
    const stream = new LocalSpeechToTextStream(this.#inference, options);
    if (!/^en(-|$)/i.test(options.language)) {
      const message = `hears English only, not ${options.language}`;
      const error = new ProviderError({ provider: this.name, kind: "status", message, isRetryable: false });
      stream.close();
      queueMicrotask(() => options.onEvent({ type: "failed", error }));
    }
    return stream;
  }
}
