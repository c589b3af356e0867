import { randomUUID } from "node:crypto";
import type { TurnEndDetector, TurnEndOptions, TurnEndStream } from "@parley/conversation";
import type { InferenceClient } from "../inference/methods.ts";
import { SampleRing } from "../../samples.ts";

export interface LocalTurnEndOptions {
  /** Client of the process with the model. */
  inference: InferenceClient;
}

/** Maximum length of the model's input. */
const maxTurnMs = 8000;
/** Audio before the detected onset that the model needs. */
const marginMs = 300;
/** A later answer finds the pause over, or decided by its length. */
const deadlineMs = 500;
/** Languages (ISO 639) on which Smart Turn v3 was trained. */
const languages = new Set(
  "ar bn zh da nl de en fi fr hi id it ja ko mr no nb pl pt ru es tr uk vi".split(" "),
);

class LocalTurnEndStream implements TurnEndStream {
  readonly #inference: InferenceClient;
  readonly #options: TurnEndOptions;
  readonly #streamId = randomUUID();
  readonly #recent: SampleRing;
  /** Samples since the turn began. */
  #turnSamples = 0;
  #request: AbortController | undefined;
  #isClosed = false;

  constructor(inference: InferenceClient, options: TurnEndOptions) {
    this.#inference = inference;
    this.#options = options;
    this.#recent = new SampleRing(this.#samplesIn(maxTurnMs));
  }

  write(pcm: Int16Array): void {
    if (this.#isClosed) return;
    this.#recent.write(pcm);
    this.#turnSamples += pcm.length;
  }

  startUtterance(leadMs: number): void {
    this.#turnSamples = this.#samplesIn(leadMs + marginMs);
  }

  judge(requestId: number): void {
    if (this.#isClosed) return;
    this.#request?.abort();
    const request = new AbortController();
    this.#request = request;
    const { sampleRateHz, onProbability } = this.#options;
    const pcm = this.#recent.last(Math.min(this.#turnSamples, this.#samplesIn(maxTurnMs)));
    this.#inference
      .request(
        "predictTurnEnd",
        { pcm, sampleRateHz, streamId: this.#streamId },
        { signal: request.signal, deadlineMs },
      )
      .then(
        ({ probability }) => {
          if (!request.signal.aborted) onProbability(requestId, probability);
        },
        // Without an answer the turn ends as without a model.
        () => undefined,
      );
  }

  close(): void {
    this.#isClosed = true;
    this.#request?.abort();
  }

  #samplesIn(ms: number): number {
    return Math.round((this.#options.sampleRateHz * ms) / 1000);
  }
}

/**
 * Smart Turn as a conversation's turn-end detector: keeps the last seconds of a call in the process of the call and
 * asks the inference process. Uses 128 kB per call at 8 kHz.
 */
export class LocalTurnEnd implements TurnEndDetector {
  readonly #inference: InferenceClient;

  constructor({ inference }: LocalTurnEndOptions) {
    this.#inference = inference;
  }

  supportsLanguage(language: string): boolean {
    return languages.has(language.toLowerCase().split("-")[0] ?? "");
  }

  open(options: TurnEndOptions): TurnEndStream {
    return new LocalTurnEndStream(this.#inference, options);
  }
}
