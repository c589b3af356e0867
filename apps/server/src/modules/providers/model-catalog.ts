import path from "node:path";
import type { Model } from "@parley/contract";
import {
  modelProviderIds,
  modelProviderKind,
  type ModelProviderId,
  splitId,
} from "@parley/providers/registry";
import type { Logger } from "pino";
import type { Clock } from "../../platform/clock.ts";
import { type ModelSettings, STANDARD_MODEL } from "../../platform/config/choose-language-model.ts";
import { RemoteList } from "./remote-list.ts";

export const NO_LANGUAGE_MODEL_HINT =
  "No language model is configured: the built-in responder reads answers out of the prompt. Set OPENAI_API_KEY, " +
  "ANTHROPIC_API_KEY or GEMINI_API_KEY, or run Ollama on this machine, and start the server again " +
  "(docs/guides/language-models.md).";

/** A grammar makes calls of tools well-formed, but the model decides whether it calls one. */
const MODEL_FILE_HINT =
  "The language model is a file on this server. Whether it calls tools depends on the model: SmolLM2 with 135 million " +
  "parameters never does, and answers as if there were none. Before an agent with tools uses it, try each tool in the " +
  "agent's test panel (docs/guides/language-models.md).";

/** The language models that agents can name: those of all configured providers. */
export class ModelCatalog {
  readonly #settings: ModelSettings;
  /** Names of the models by provider. */
  readonly #names = new Map<ModelProviderId, RemoteList<string>>();

  constructor({ settings, ...resources }: { settings: ModelSettings; clock: Clock; logger: Logger }) {
    this.#settings = settings;
    for (const id of modelProviderIds) {
      const access = settings.providerAccess[id];
      if (access === undefined) continue;
      const load = async (signal: AbortSignal) => await modelProviderKind(id).listModels(access, signal);
      this.#names.set(id, new RemoteList({ name: `language models of ${id}`, load, ...resources }));
    }
  }

  /** The operator's model, then the others. */
  async list(): Promise<Model[]> {
    const lists = await Promise.all(
      [...this.#names].map(async ([id, names]) => ({ id, names: await names.get() })),
    );
    const others = lists.flatMap(({ id, names }) => (names ?? []).map((name) => presentModel(id, name)));
    return [this.#standard, ...others];
  }

  /** Whether agents can use it. A server that lists no models may have it. */
  async isKnown(id: string): Promise<boolean> {
    if (id === STANDARD_MODEL) return true;
    const named = splitId(modelProviderIds, id);
    const list = named && this.#names.get(named.provider);
    if (list === undefined) return false;
    const names = await list.get();
    if (names === undefined || names.includes(named?.name ?? "")) return true;
    // It may have been installed a moment ago.
    await list.refresh();
    return (await list.get())?.includes(named?.name ?? "") === true;
  }

  /** What to do to get a language model for agents that name none; `undefined` if there is one. */
  get hint(): string | undefined {
    const { isLanguageModel, hint } = this.#standard;
    return isLanguageModel ? undefined : (hint ?? undefined);
  }

  start(): void {
    for (const names of this.#names.values()) void names.refresh();
  }

  /** Idempotent. */
  close(): void {
    for (const names of this.#names.values()) names.close();
  }

  get #standard(): Model {
    const model = { id: STANDARD_MODEL, isDefault: true, isLanguageModel: true, hint: null };
    const { languageModel } = this.#settings;
    if (languageModel.provider === "builtin-responder") {
      const displayName = "Built-in responder";
      return { ...model, displayName, isLanguageModel: false, hint: NO_LANGUAGE_MODEL_HINT };
    }
    if (languageModel.provider === "gguf")
      return { ...model, displayName: path.basename(languageModel.path), hint: MODEL_FILE_HINT };
    return { ...model, displayName: languageModel.model };
  }
}

function presentModel(provider: ModelProviderId, name: string): Model {
  return {
    id: `${provider}/${name}`,
    displayName: name,
    isDefault: false,
    isLanguageModel: true,
    hint: null,
  };
}
