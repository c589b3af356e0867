import {
  ProviderError,
  type TextToSpeech,
  type TextToSpeechOptions,
  type TextToSpeechStream,
  type WordTiming,
} from "@parley/conversation";
import type { InferenceClient, InferenceMethods } from "../inference/methods.ts";

export interface LocalTextToSpeechOptions {
  client: InferenceClient;
  /**
   * Time without audio after which a clause has failed. Default 20 s: a phrase of 5 s on a machine that is four times
   * too slow.
   */
  deadlineMs?: number;
  /** Seconds of synthesis per second of audio that a voice probably takes in a call; `undefined` if it was not measured. */
  expectedFactorOf?: (voice: string) => number | undefined;
}

/** Speaks with the voices of the inference process; see `LOCAL_VOICES` for their ids. */
export class LocalTextToSpeech implements TextToSpeech {
  readonly name = "local";
  readonly audioTimeoutMs = AUDIO_TIMEOUT_MS;
  readonly preparationTimeoutMs = PREPARATION_TIMEOUT_MS;
  readonly #client: InferenceClient;
  readonly #deadlineMs: number;
  readonly #expectedFactorOf: (voice: string) => number | undefined;

  constructor(options: LocalTextToSpeechOptions) {
    this.#client = options.client;
    this.#deadlineMs = options.deadlineMs ?? 20_000;
    this.#expectedFactorOf = options.expectedFactorOf ?? (() => undefined);
  }

  assumedRealTimeFactorOf(voice: string): number {
    return this.#expectedFactorOf(voice) ?? ASSUMED_REAL_TIME_FACTOR;
  }

  open(options: TextToSpeechOptions): TextToSpeechStream {
    return new LocalStream(this.#client, this.#deadlineMs, options);
  }
}

type SynthesisChunk = InferenceMethods["synthesize"]["chunk"];

/** A voice that takes longer to begin has no time for this call. */
const AUDIO_TIMEOUT_MS = 4_000;
/** Real-time factor until it is measured: that of the default voice on a small, busy machine. */
const ASSUMED_REAL_TIME_FACTOR = 2;
/** Maximum time that preparation waits until no call needs the process. */
const PREPARATION_TIMEOUT_MS = 600_000;

/** Of a voice that takes half of the length of its audio. */
const DEFAULT_START_SHARE = 1 / 3;

/** One clause ahead of the one being emitted, and no more: the engine serves other calls. */
const MAX_REQUESTED = 2;

interface Clause {
  id: number;
  text: string;
  state: "waiting" | "requested" | "done";
  /** Audio that arrived before its turn. */
  early: SynthesisChunk[];
  isCached: boolean;
}

class LocalStream implements TextToSpeechStream {
  readonly #client: InferenceClient;
  readonly #deadlineMs: number;
  readonly #options: TextToSpeechOptions;
  readonly #abort = new AbortController();
  /** Clauses not emitted yet, in order; audio of the first one is being emitted. */
  #clauses: Clause[] = [];
  /** The first clause has been requested, for which the caller waits. */
  #hasRequested = false;
  #hasEnd = false;
  #isPaused = false;

  constructor(client: InferenceClient, deadlineMs: number, options: TextToSpeechOptions) {
    this.#client = client;
    this.#deadlineMs = deadlineMs;
    this.#options = options;
  }

  speak(clauseId: number, text: string): void {
    if (this.#abort.signal.aborted) {
      return;
    }
    this.#clauses.push({ id: clauseId, text, state: "waiting", early: [], isCached: false });
    this.#requestNext();
  }

  end(): void {
    this.#hasEnd = true;
    this.#deliver();
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#deliver();
    this.#requestNext();
  }

  close(): void {
    this.#clauses = [];
    this.#abort.abort();
  }

  #requestNext(): void {
    for (const clause of this.#clauses.slice(0, MAX_REQUESTED)) {
      if (clause.state === "waiting" && !this.#isPaused && !this.#abort.signal.aborted) {
        this.#request(clause);
      }
    }
  }

  #request(clause: Clause): void {
    clause.state = "requested";
    const callPriority = this.#hasRequested ? "partial" : "turn";
    this.#hasRequested = true;
    const {
      voice,
      speed,
      sampleRateHz,
      isPreparation = false,
      startShare = DEFAULT_START_SHARE,
    } = this.#options;
    const priority = isPreparation ? "preparation" : callPriority;
    const firstShare = priority === "turn" ? startShare : undefined;
    this.#client
      .request(
        "synthesize",
        { text: clause.text, voice, speed, sampleRateHz, priority, firstShare },
        {
          signal: this.#abort.signal,
          deadlineMs: isPreparation ? PREPARATION_TIMEOUT_MS : this.#deadlineMs,
          onChunk: (chunk) => this.#receive(clause, chunk),
        },
      )
      .then(
        ({ words, isCached }) => this.#finish(clause, words, isCached),
        (error: unknown) => this.#fail(error),
      );
  }

  #finish(clause: Clause, words: readonly WordTiming[], isCached: boolean): void {
    if (this.#abort.signal.aborted) {
      return;
    }
    clause.state = "done";
    clause.isCached = isCached;
    if (words.length > 0) {
      this.#options.onEvent({ type: "words", clauseId: clause.id, words });
    }
    this.#deliver();
    this.#requestNext();
  }

  #receive(clause: Clause, chunk: SynthesisChunk): void {
    clause.early.push(chunk);
    this.#deliver();
  }

  /** Emits the audio that is due. A listener may close the stream between any two events. */
  #deliver(): void {
    for (let clause = this.#clauses[0]; clause !== undefined && !this.#isPaused; clause = this.#clauses[0]) {
      const chunk = clause.early.shift();
      if (chunk !== undefined) {
        this.#options.onEvent({ type: "audio", clauseId: clause.id, ...chunk });
      } else if (clause.state === "done") {
        this.#clauses.shift();
        this.#options.onEvent({ type: "clauseEnded", clauseId: clause.id, isCached: clause.isCached });
      } else {
        return;
      }
    }
    if (this.#hasEnd && this.#clauses.length === 0 && !this.#isPaused && !this.#abort.signal.aborted) {
      this.#abort.abort();
      this.#options.onEvent({ type: "ended" });
    }
  }

  #fail(error: unknown): void {
    if (this.#abort.signal.aborted) {
      return;
    }
    this.close();
    const failure =
      error instanceof ProviderError
        ? error
        : new ProviderError({
            provider: "local",
            kind: "connection",
            message: "speech synthesis failed",
            isRetryable: true,
            cause: error,
          });
    this.#options.onEvent({ type: "failed", error: failure });
  }
}
