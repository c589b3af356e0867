import type { LanguageModelChain } from "../../../model-providers/language-models.ts";
import type { ModelSettings } from "../../../platform/config/choose-language-model.ts";

type FindModels = (llmModel: string) => LanguageModelChain;

/** Language models for conversations in text, in the main process. Opened at the first use: not every node needs them. */
export class TextModels {
  readonly #configuration: ModelSettings;
  readonly #inferencePath: string;
  readonly #closers: (() => Promise<void>)[] = [];
  #opened: Promise<FindModels> | undefined;

  constructor(configuration: ModelSettings, inferencePath: string) {
    this.#configuration = configuration;
    this.#inferencePath = inferencePath;
  }

  /**
   * Returns the model named by an agent's `llmModel`, or the operator's if that model is unavailable; then those that replace
   * it after a failure.
   */
  async find(llmModel: string): Promise<LanguageModelChain> {
    this.#opened ??= this.#open();
    return (await this.#opened)(llmModel);
  }

  async #open(): Promise<FindModels> {
    const { connectInference } = await import("@parley/providers/local");
    const { loadLanguageModels } = await import("../../../model-providers/language-models.ts");
    const inference = connectInference({ path: this.#inferencePath });
    this.#closers.push(async () => inference.close());
    return await loadLanguageModels(this.#configuration, inference, this.#closers);
  }

  /** Idempotent. */
  async close(): Promise<void> {
    await this.#opened;
    await Promise.all(this.#closers.splice(0).map((close) => close()));
  }
}
