import type { Feature, NodeResources } from "../feature.ts";
import type { ProviderKeysService } from "../provider-keys/provider-keys.service.ts";
import type { AgentChoices, ModelChoices } from "./agent-choices.ts";
import type { CustomVoices } from "./offered-voices.ts";
import { Offers } from "./offers.ts";
import { bindProviderRoutes } from "./providers.routes.ts";

/** What the configured providers offer: voices, language models and languages. */
export function createProviderOffers(
  { config, clock, logger, speechPlaces, inference }: NodeResources,
  dependencies: { customVoices: CustomVoices; providerKeys: ProviderKeysService },
) {
  const parts = { config, clock, logger, inferencePath: inference.path, fit: () => speechPlaces.fit };
  const offers = new Offers({ ...parts, ...dependencies });
  const agentChoices: Pick<AgentChoices, "findProblems"> & ModelChoices = {
    findProblems: async (organizationId, choice, before) =>
      await offers.read(
        organizationId,
        async ({ choices }) => await choices.findProblems(organizationId, choice, before),
      ),
    findModelProblems: async (organizationId, path, llmModel) =>
      await offers.read(
        organizationId,
        async ({ choices }) => await choices.findModelProblems(path, llmModel),
      ),
  };
  return {
    services: { voiceCatalog: offers.standard.catalog, agentChoices },
    bindRoutes: (app) => bindProviderRoutes(app, offers),
    start: () => offers.start(),
    close: async () => await offers.close(),
  } satisfies Feature;
}
