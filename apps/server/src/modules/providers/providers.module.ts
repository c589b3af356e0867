import type { Feature, NodeResources } from "../feature.ts";
import { AgentChoices } from "./agent-choices.ts";
import { ModelCatalog } from "./model-catalog.ts";
import { bindProviderRoutes } from "./providers.routes.ts";
import { type CustomVoices, OfferedVoices } from "./offered-voices.ts";
import { VoiceCatalog } from "./voice-catalog.ts";
import { VoicePreviews } from "./voice-previews.ts";

/** What the configured providers offer: voices, language models and languages. */
export function createProviderOffers(
  { config, clock, logger, speechPlaces, inference }: NodeResources,
  { customVoices }: { customVoices: CustomVoices },
) {
  const fit = () => speechPlaces.fit;
  const voiceCatalog = new VoiceCatalog({ config, fit, clock, logger });
  const voices = new OfferedVoices(voiceCatalog, customVoices);
  const models = new ModelCatalog({ settings: config, clock, logger });
  const previews = new VoicePreviews({ config, voices, inferencePath: inference.path, fit });
  return {
    services: { voiceCatalog, agentChoices: new AgentChoices({ config, voices, models }) },
    bindRoutes: (app) => bindProviderRoutes(app, { config, voices, models, previews }),
    start: () => {
      voiceCatalog.start();
      models.start();
    },
    close: async () => {
      voiceCatalog.close();
      models.close();
      await previews.close();
    },
  } satisfies Feature;
}
