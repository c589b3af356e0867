import type { LanguageModel } from "@parley/conversation";
import type { LanguageModelChain } from "../../../model-providers/language-models.ts";
import { OrganizationSets } from "../../../model-providers/organization-sets.ts";
import { ProviderCircuits } from "../../../model-providers/provider-circuits.ts";
import { replace } from "../../../model-providers/scoped-providers.ts";
import type { ProviderKeysService } from "../../provider-keys/provider-keys.service.ts";
import type { ModelSettings } from "../../../platform/config/choose-language-model.ts";

/** Longer than the deadline of any reply. */
const MAX_REPLY_MS = 300_000;

const nameOf = ({ provider, modelId }: LanguageModel): string => `${provider}/${modelId}`;

type FindModels = (llmModel: string) => LanguageModelChain;

/** Language models for conversations in text, in the main process. Opened at the first use: not every node needs them. */
export class TextModels {
  readonly #configuration: ModelSettings;
  readonly #providerKeys: Pick<ProviderKeysService, "findOwn">;
  readonly #inferencePath: string;
  readonly #circuits = new ProviderCircuits(() => performance.now());
  readonly #closers: (() => Promise<void>)[] = [];
  readonly #own = new OrganizationSets(async (configuration) => {
    const closers: (() => Promise<void>)[] = [];
    const find = await this.#open(configuration, closers);
    return { find, close: async () => void (await Promise.all(closers.map((close) => close()))) };
  });
  #opened: Promise<FindModels> | undefined;

  constructor(
    configuration: ModelSettings,
    providerKeys: Pick<ProviderKeysService, "findOwn">,
    inferencePath: string,
  ) {
    this.#configuration = configuration;
    this.#providerKeys = providerKeys;
    this.#inferencePath = inferencePath;
  }

  /**
   * Returns the model named by an agent's `llmModel`, or the operator's if that model is unavailable; then those that replace
   * it after a failure. Those that fail at present are last.
   */
  async find(organizationId: string, llmModel: string): Promise<LanguageModelChain> {
    const chain = await this.#findChain(organizationId, llmModel);
    const [model, ...others] = this.#circuits.prefer(organizationId, chain, nameOf);
    const watch = (each: LanguageModel): LanguageModel =>
      replace(each, {
        onAnswer: () => this.#circuits.noteAnswer(organizationId, nameOf(each)),
        onFailure: ({ kind, status }) =>
          this.#circuits.noteFailure(organizationId, { provider: nameOf(each), kind, status }),
      });
    return [watch(model), ...others.map(watch)];
  }

  async #findChain(organizationId: string, llmModel: string): Promise<LanguageModelChain> {
    const own = await this.#providerKeys.findOwn(organizationId);
    if (own === undefined) {
      this.#opened ??= this.#open(this.#configuration, this.#closers);
      return (await this.#opened)(llmModel);
    }
    const { set, release } = await this.#own.use(organizationId, own);
    // The reply that asks takes less time.
    setTimeout(release, MAX_REPLY_MS).unref();
    return set.find(llmModel);
  }

  async #open(configuration: ModelSettings, closers: (() => Promise<void>)[]): Promise<FindModels> {
    const { connectInference } = await import("@parley/providers/local");
    const { loadLanguageModels } = await import("../../../model-providers/language-models.ts");
    const inference = connectInference({ path: this.#inferencePath });
    closers.push(async () => inference.close());
    return await loadLanguageModels(configuration, inference, closers);
  }

  /** Idempotent. */
  async close(): Promise<void> {
    await this.#own.close();
    await this.#opened;
    await Promise.all(this.#closers.splice(0).map((close) => close()));
  }
}
