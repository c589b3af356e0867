import { splitIntoClauses, listStandardTexts } from "@parley/conversation";
import type { InferenceHandlers } from "../inference/methods.ts";

/** Texts that an agent says identically in every call. */
export interface FixedSpeech {
  /** Value of `TextToSpeechOptions.voice`; empty: the default. */
  voice: string;
  speed: number;
  /** BCP 47. */
  language: string;
  /** In addition to the standard texts of the language. */
  texts: readonly string[];
}

/** About a minute of speech: the rest of a longer text is synthesized while that plays. */
const MAX_CHARACTERS = 1000;
const MAX_WAITING = 2000;
/** Number of clauses remembered as done. */
const MAX_DONE = 10_000;

/** Synthesizes an agent's fixed texts before calls need them, clause by clause, while no call needs the process. */
export class SpeechPreparation {
  readonly #synthesize: NonNullable<InferenceHandlers["synthesize"]>;
  readonly #defaultVoice: string;
  readonly #closing = new AbortController();
  /** Waiting clauses by their identity, in order of synthesis. */
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
      // A clause or voice that fails here is reported by the calls that need it.
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
