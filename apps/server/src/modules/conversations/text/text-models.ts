import type { LanguageModel } from "@parley/conversation";
import type { ModelSettings } from "../../../platform/config/choose-language-model.ts";

type FindModel = (llmModel: string) => LanguageModel;

/** Language models for conversations in text, in the main process. Opened at the first use: not every node needs them. */
export class TextModels {
  readonly #configuration: ModelSettings;
  readonly #inferencePath: string;
  readonly #closers: (() => Promise<void>)[] = [];
  #opened: Promise<FindModel> | undefined;

  constructor(configuration: ModelSettings, inferencePath: string) {
    this.#configuration = configuration;
    this.#inferencePath = inferencePath;
  }

  /** Returns the model named by an agent's `llmModel`, or the operator's if that model is unavailable. */
  async find(llmModel: string): Promise<LanguageModel> {
    this.#opened ??= this.#open();
    return (await this.#opened)(llmModel);
  }

  async #open(): Promise<FindModel> {
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
