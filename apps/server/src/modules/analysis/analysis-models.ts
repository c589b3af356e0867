import type { Lease } from "../../model-providers/organization-sets.ts";
import { OrganizationSets } from "../../model-providers/organization-sets.ts";
import type { ProviderConfiguration } from "../../model-providers/provider-configuration.ts";
import { chooseLanguageModel, STANDARD_MODEL } from "../../platform/config/choose-language-model.ts";
import type { ProviderKeysService } from "../provider-keys/provider-keys.service.ts";
import { openAnalysisModel, type OpenAnalysisModel } from "./analysis-model.ts";

/** The language models of analyses: the operator's, and those of organizations with keys of their own. */
export class AnalysisModels {
  readonly #configuration: ProviderConfiguration;
  readonly #providerKeys: Pick<ProviderKeysService, "findOwn">;
  readonly #sets: OrganizationSets<OpenAnalysisModel>;

  constructor(
    configuration: ProviderConfiguration,
    providerKeys: Pick<ProviderKeysService, "findOwn">,
    inferencePath: string,
  ) {
    this.#configuration = configuration;
    this.#providerKeys = providerKeys;
    this.#sets = new OrganizationSets(async (settings) => await openAnalysisModel(settings, inferencePath));
  }

  /** Returns `undefined` if the organization has no language model of this name. */
  async use(
    organizationId: string,
    llmModel = STANDARD_MODEL,
  ): Promise<Lease<OpenAnalysisModel> | undefined> {
    const own = await this.#providerKeys.findOwn(organizationId);
    const settings = own ?? this.#configuration;
    if (chooseLanguageModel(settings, llmModel).provider === "builtin-responder") return undefined;
    // Organizations without keys share the operator's.
    return await this.#sets.use(own === undefined ? "" : organizationId, settings);
  }

  /** Idempotent. */
  async close(): Promise<void> {
    await this.#sets.close();
  }
}
