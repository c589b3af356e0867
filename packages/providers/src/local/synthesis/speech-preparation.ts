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
/** Maximum time that a clause waits for the end of all calls, because a node may always have some. */
const PATIENCE_MS = 60_000;

/** Synthesizes an agent's fixed texts before calls need them, clause by clause, while there are no calls. */
export class SpeechPreparation {
  readonly #synthesize: NonNullable<InferenceHandlers["synthesize"]>;
  readonly #defaultVoice: string;
  readonly #closing = new AbortController();
  /** Waiting clauses by their identity, in order of synthesis. */
  readonly #waiting = new Map<string, { voice: string; speed: number; text: string }>();
  readonly #done = new Set<string>();
  #isRunning = false;
  #activeCalls = 0;
  /** Ends the wait for the end of all calls. */
  #proceed: () => void = () => undefined;

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

  /**
   * Number of active calls. A call needs the processor again at any moment: a clause begun between its turns delays the text
   * of the next turn and the first sound of its answer.
   */
  set activeCalls(count: number) {
    this.#activeCalls = count;
    if (count === 0) this.#proceed();
  }

  /** Idempotent. */
  close(): void {
    this.#closing.abort();
    this.#proceed();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    const { signal } = this.#closing;
    for (const [key, params] of this.#waiting) {
      if (this.#activeCalls > 0) await this.#waitForEndOfCalls();
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

  async #waitForEndOfCalls(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, PATIENCE_MS);
    this.#proceed = resolve;
    await promise;
    clearTimeout(timer);
  }

  #remember(key: string): void {
    this.#done.add(key);
    const [oldest] = this.#done;
    if (this.#done.size > MAX_DONE && oldest !== undefined) this.#done.delete(oldest);
  }
}
