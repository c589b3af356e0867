import type { ProviderKind } from "../registry/provider-kind.ts";
import { cartesiaCloning } from "./voice-cloning.ts";
import { checkCartesiaKey, hasCartesiaVoice, listCartesiaVoices } from "./voices.ts";

/** Languages of Sonic 3 (https://docs.cartesia.ai/build-with-cartesia/tts-models/latest). */
const LANGUAGES = (
  "ar bg bn cs da de el en es fi fr gu he hi hr hu id it ja ka kn ko ml mr ms nl no pa pl pt ro ru sk sv ta te th tl tr uk " +
  "vi zh"
).split(" ");

export const cartesia = {
  displayName: "Cartesia",
  variables: {
    CARTESIA_API_KEY: { description: "API key of Cartesia. Required with PARLEY_TTS=cartesia." },
    CARTESIA_BASE_URL: { description: "URL of the Cartesia API, if it is not the public one." },
  },
  apiKeyVariables: ["CARTESIA_API_KEY"],
  baseUrlVariable: "CARTESIA_BASE_URL",
  defaultBaseUrl: "https://api.cartesia.ai",
  needsKey: "always",
  checkKey: checkCartesiaKey,
  textToSpeech: {
    defaultModel: "sonic-3",
    defaultVoice: "a0e99841-438c-4a64-b679-ae501e7d6091",
    languages: LANGUAGES,
    // Other models ignore the parameter (https://docs.cartesia.ai/build-with-cartesia/capability-guides/volume-speed-emotion).
    speedRange: (model) => (/^sonic-3($|-)/.test(model) ? [0.6, 1.5] : [1, 1]),
    listVoices: listCartesiaVoices,
    hasVoice: hasCartesiaVoice,
    cloning: cartesiaCloning,
    load: async () => {
      const { createCartesiaTextToSpeech } = await import("./cartesia.ts");
      return (access, options) => createCartesiaTextToSpeech({ ...access, ...options });
    },
  },
} as const satisfies ProviderKind;
