import type { SpeechFit } from "@parley/providers/fit";
import type { Logger } from "pino";
import { OrganizationSets } from "../../model-providers/organization-sets.ts";
import type { ProviderConfiguration } from "../../model-providers/provider-configuration.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Config } from "../../platform/config/config.ts";
import type { ProviderKeysService } from "../provider-keys/provider-keys.service.ts";
import { AgentChoices } from "./agent-choices.ts";
import { ModelCatalog } from "./model-catalog.ts";
import { type CustomVoices, OfferedVoices } from "./offered-voices.ts";
import { VoiceCatalog } from "./voice-catalog.ts";
import { VoicePreviews } from "./voice-previews.ts";

interface OffersOptions {
  config: ProviderConfiguration & Pick<Config, "speechFit">;
  providerKeys: Pick<ProviderKeysService, "findOwn">;
  customVoices: CustomVoices;
  inferencePath: string;
  /** `undefined` until it is known. */
  fit: () => SpeechFit | undefined;
  clock: Clock;
  logger: Logger;
}

/** What providers with the same keys offer. */
interface Offer {
  config: ProviderConfiguration;
  catalog: VoiceCatalog;
  voices: OfferedVoices;
  models: ModelCatalog;
  previews: VoicePreviews;
  choices: AgentChoices;
  close: () => Promise<void>;
}

/** What the providers offer: those of the operator, and those of organizations with keys of their own. */
export class Offers {
  readonly standard: Offer;
  readonly #options: OffersOptions;
  readonly #own: OrganizationSets<Offer>;

  constructor(options: OffersOptions) {
    this.#options = options;
    this.standard = createOffer(options.config, options);
    this.#own = new OrganizationSets(async (configuration) => {
      const offer = createOffer({ ...configuration, speechFit: options.config.speechFit }, options);
      startOffer(offer);
      return offer;
    });
  }

  /** Returns what `read` reads from the organization's offer. */
  async read<T>(organizationId: string, read: (offer: Offer) => T | Promise<T>): Promise<T> {
    const own = await this.#options.providerKeys.findOwn(organizationId);
    if (own === undefined) return await read(this.standard);
    const { set, release } = await this.#own.use(organizationId, own);
    try {
      return await read(set);
    } finally {
      release();
    }
  }

  /** Loads the lists in the background, so that the first request does not wait for them. */
  start(): void {
    startOffer(this.standard);
  }

  /** Idempotent. */
  async close(): Promise<void> {
    await this.standard.close();
    await this.#own.close();
  }
}

function createOffer(
  config: OffersOptions["config"],
  { customVoices, inferencePath, fit, clock, logger }: OffersOptions,
): Offer {
  const catalog = new VoiceCatalog({ config, fit, clock, logger });
  const voices = new OfferedVoices(catalog, customVoices);
  const models = new ModelCatalog({ settings: config, clock, logger });
  const previews = new VoicePreviews({ config, voices, inferencePath, fit });
  return {
    config,
    catalog,
    voices,
    models,
    previews,
    choices: new AgentChoices({ config, voices, models }),
    close: async () => {
      catalog.close();
      models.close();
      await previews.close();
    },
  };
}

function startOffer({ catalog, models }: Offer): void {
  catalog.start();
  models.start();
}
