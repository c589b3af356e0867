import type { LanguageModel } from "../providers/language-model.ts";
import type { ProviderError } from "../providers/provider-error.ts";

/** Maximum `Retry-After` that is waited for before a retry. */
const MAX_RETRY_DELAY_MS = 2000;
const MAX_ATTEMPTS_WITH_MODEL = 2;

/** The model of one conversation, and which one replaces it after a failure, until the end of the conversation. */
export class ModelFailover {
  readonly #models: readonly [LanguageModel, ...LanguageModel[]];
  #index = 0;
  #attempts = 0;

  /** @param models In order of preference. */
  constructor(models: readonly [LanguageModel, ...LanguageModel[]]) {
    this.#models = models;
  }

  get current(): LanguageModel {
    return this.#models[this.#index] ?? this.#models[0];
  }

  /** `provider/model`, as in errors. */
  get name(): string {
    return `${this.current.provider}/${this.current.modelId}`;
  }

  /** Whether no other model is left. */
  get isLast(): boolean {
    return this.#index + 1 >= this.#models.length;
  }

  /** Begins the requests for one answer. */
  beginAnswer(): void {
    this.#attempts = 1;
  }

  /**
   * Selects the model for the next attempt; returns false if none is left. A model that refuses or stalls is replaced at once
   * if there is another. A lost connection is reopened once, unless the answer had begun.
   */
  choose(error: ProviderError, hasStarted: boolean): boolean {
    const delayMs = error.retryAfterMs ?? 0;
    const mayRetry = error.isRetryable && !hasStarted && delayMs <= MAX_RETRY_DELAY_MS;
    if (
      mayRetry &&
      this.#attempts < MAX_ATTEMPTS_WITH_MODEL &&
      (this.isLast || error.kind === "connection")
    ) {
      this.#attempts++;
      return true;
    }
    if (this.isLast) return false;
    this.#index++;
    this.#attempts = 1;
    return true;
  }
}
