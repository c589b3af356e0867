import { splitIntoClauses, listStandardTexts } from "@parley/conversation";
import type { InferenceHandlers } from "../inference/methods.ts";

/** What an agent says in the same words in every call. */
export interface FixedSpeech {
  /** As `TextToSpeechOptions.voice` takes it; empty: the default. */
  voice: string;
  speed: number;
  /** BCP 47. */
  language: string;
  /** Beside the standard ones of the language. */
  texts: readonly string[];
}

/** A minute or so of speech: of what is longer the rest is made while that plays. */
const MAX_CHARACTERS = 1000;
const MAX_WAITING = 2000;
/** Clauses that are remembered as done. */
const MAX_DONE = 10_000;

/** Has an agent's fixed texts synthesized before calls need them, a clause at a time, while calls need nothing. */
export class SpeechPreparation {
  readonly #synthesize: NonNullable<InferenceHandlers["synthesize"]>;
  readonly #defaultVoice: string;
  readonly #closing = new AbortController();
  /** Clauses by what tells them apart, in the order in which they are made. */
  readonly #waiting = new Map<string, { voice: string; speed: number; text: string }>();
  readonly #done = new Set<string>();
  #isRunning = false;

  /** @param defaultVoice Voice id of agents that name none. */
  constructor(synthesize: NonNullable<InferenceHandlers["synthesize"]>, defaultVoice: string) {
    this.#synthesize = synthesize;
    this.#defaultVoice = defaultVoice;
  }

  add({ voice, speed, language, texts }: FixedSpeech): void {
    for (const text of [
      ...texts.map((each) => each.slice(0, MAX_CHARACTERS)),
      ...listStandardTexts(language),
    ]) {
      for (const clause of splitIntoClauses(text)) {
        const params = { voice: voice === "" ? this.#defaultVoice : voice, speed, text: clause };
        const key = JSON.stringify(params);
        if (!this.#done.has(key) && this.#waiting.size < MAX_WAITING) this.#waiting.set(key, params);
      }
    }
    if (!this.#isRunning) void this.#run();
  }

  /** Idempotent. */
  close(): void {
    this.#closing.abort();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    const { signal } = this.#closing;
    for (const [key, params] of this.#waiting) {
      if (signal.aborted) break;
      const request = { ...params, sampleRateHz: 8000, priority: "preparation" } as const;
      // A clause that cannot be made now, or a voice that is not there, is the calls' to find out.
      await this.#synthesize(request, { signal, emit: () => undefined }).then(
        () => this.#remember(key),
        () => undefined,
      );
      this.#waiting.delete(key);
    }
    this.#isRunning = false;
  }

  #remember(key: string): void {
    this.#done.add(key);
    const [oldest] = this.#done;
    if (this.#done.size > MAX_DONE && oldest !== undefined) this.#done.delete(oldest);
  }
}
