import path from "node:path";
import type { Model } from "@parley/contract";
import { listOpenAiModels } from "@parley/providers/catalog";
import type { Logger } from "pino";
import type { Clock } from "../../platform/clock.ts";
import type { Config } from "../../platform/config/config.ts";
import { RemoteList } from "./remote-list.ts";

export const STANDARD_MODEL = "service-standard";

export const NO_LANGUAGE_MODEL_HINT =
  "No language model is configured: the built-in responder reads answers out of the prompt. Set OPENAI_API_KEY, or " +
  "PARLEY_LLM_BASE_URL and PARLEY_LLM_MODEL, and start the server again (docs/guides/language-models.md).";

/** The language models that agents can name. */
export class ModelCatalog {
  readonly #languageModel: Config["languageModel"];
  /** Names of the models on the configured server. */
  readonly #names: RemoteList<string> | undefined;

  constructor({
    languageModel,
    ...resources
  }: Pick<Config, "languageModel"> & { clock: Clock; logger: Logger }) {
    this.#languageModel = languageModel;
    if (languageModel.provider === "openai-compatible") {
      const load = async (signal: AbortSignal) => await listOpenAiModels(languageModel, signal);
      this.#names = new RemoteList({ name: "language models", load, ...resources });
    }
  }

  /** The operator's model, then the others. */
  async list(): Promise<Model[]> {
    const names = (await this.#names?.get()) ?? [];
    return [this.#standard, ...names.map((name) => this.#present(name))];
  }

  /** Whether agents can use it. A server that lists no models may have it. */
  async isKnown(id: string): Promise<boolean> {
    if (id === STANDARD_MODEL) return true;
    const prefix = `${this.#languageModel.provider}/`;
    if (this.#names === undefined || !id.startsWith(prefix)) return false;
    const name = id.slice(prefix.length);
    const names = await this.#names.get();
    if (names === undefined || names.includes(name)) return true;
    // It may have been installed a moment ago.
    await this.#names.refresh();
    return (await this.#names.get())?.includes(name) === true;
  }

  start(): void {
    void this.#names?.refresh();
  }

  /** Idempotent. */
  close(): void {
    this.#names?.close();
  }

  get #standard(): Model {
    const model = { id: STANDARD_MODEL, isDefault: true, isLanguageModel: true, hint: null };
    switch (this.#languageModel.provider) {
      case "openai-compatible":
        return { ...model, displayName: this.#languageModel.model };
      case "gguf":
        return { ...model, displayName: path.basename(this.#languageModel.path) };
      case "builtin-responder":
        return {
          ...model,
          displayName: "Built-in responder",
          isLanguageModel: false,
          hint: NO_LANGUAGE_MODEL_HINT,
        };
    }
  }

  #present(name: string): Model {
    const id = `${this.#languageModel.provider}/${name}`;
    return { id, displayName: name, isDefault: false, isLanguageModel: true, hint: null };
  }
}
