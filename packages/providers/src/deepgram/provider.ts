import { httpUrl, requestJson } from "../http/request-json.ts";
import type { ProviderKind } from "../registry/provider-kind.ts";
import { NOVA_LANGUAGES } from "./languages.ts";
import { listDeepgramVoices } from "./voices.ts";

export const deepgram = {
  displayName: "Deepgram",
  variables: {
    DEEPGRAM_API_KEY: {
      description: "API key of Deepgram. Required with PARLEY_STT=deepgram and PARLEY_TTS=deepgram.",
    },
    DEEPGRAM_BASE_URL: { description: "URL of the Deepgram API, if it is not the public one." },
  },
  apiKeyVariables: ["DEEPGRAM_API_KEY"],
  baseUrlVariable: "DEEPGRAM_BASE_URL",
  defaultBaseUrl: "https://api.deepgram.com",
  needsKey: "always",
  /** https://developers.deepgram.com/reference/auth/tokens/details */
  checkKey: async ({ baseUrl, apiKey = "" }, signal) => {
    const headers = { authorization: `Token ${apiKey}` };
    await requestJson({ provider: "deepgram", url: httpUrl(baseUrl, "/v1/auth/token"), headers, signal });
  },
  speechToText: {
    defaultModel: "nova-3",
    languages: NOVA_LANGUAGES,
    answerDeadlineMs: 900,
    load: async () => {
      const { createDeepgramSpeechToText } = await import("./deepgram.ts");
      return (access, options) => createDeepgramSpeechToText({ ...access, ...options });
    },
  },
  textToSpeech: {
    // A voice is a model.
    defaultModel: "aura-2",
    defaultVoice: "aura-2-thalia-en",
    languages: ["de", "en", "es", "fr", "it", "ja", "nl"],
    // Only some of the languages have the parameter.
    speedRange: () => [1, 1],
    listVoices: listDeepgramVoices,
    load: async () => {
      const { createDeepgramTextToSpeech } = await import("./text-to-speech.ts");
      return createDeepgramTextToSpeech;
    },
  },
} as const satisfies ProviderKind;
