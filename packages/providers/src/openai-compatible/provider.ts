import type { ProviderKind, VendorVoice } from "../registry/provider-kind.ts";
import { takesTemperature } from "./temperature.ts";
import { checkOpenAiKey, listOpenAiModels, listOpenAiVoices, probeChatCompletions } from "./lists.ts";

/** API of OpenAI, for language models and speech. */
export const OPENAI_BASE_URL = "https://api.openai.com/v1";

/** Languages of the transcription and the voices (https://platform.openai.com/docs/guides/speech-to-text). */
const LANGUAGES = (
  "af ar az be bg bs ca cs cy da de el en es et fa fi fr gl he hi hr hu hy id is it ja kk kn ko lt lv mi mk mr ms ne nl no " +
  "pl pt ro ru sk sl sr sv sw ta th tl tr uk ur vi zh"
).split(" ");

/** Voices of OpenAI (https://platform.openai.com/docs/guides/text-to-speech). */
const VOICES = "alloy ash ballad cedar coral echo fable marin nova onyx sage shimmer verse".split(" ");

/** Speech of OpenAI, or of a server with its audio API. */
export const openAiSpeech = {
  displayName: "OpenAI speech",
  variables: {
    OPENAI_API_KEY: {
      description: "API key of OpenAI. Sufficient alone to use OpenAI's language models.",
    },
    PARLEY_SPEECH_BASE_URL: {
      description:
        "URL of an OpenAI-compatible audio API, ending in its version (`https://…/v1`), for PARLEY_STT=openai and PARLEY_TTS=openai. Default: OpenAI.",
    },
  },
  apiKeyVariables: ["OPENAI_API_KEY"],
  baseUrlVariable: "PARLEY_SPEECH_BASE_URL",
  defaultBaseUrl: OPENAI_BASE_URL,
  needsKey: "atDefaultUrl",
  checkKey: checkOpenAiKey,
  speechToText: {
    defaultModel: "gpt-4o-mini-transcribe",
    languages: LANGUAGES,
    // A request carries the whole utterance.
    answerDeadlineMs: 2_000,
    load: async () => {
      const { createOpenAiSpeechToText } = await import("./speech-to-text.ts");
      return (access, options) => createOpenAiSpeechToText({ ...access, ...options });
    },
  },
  textToSpeech: {
    defaultModel: "gpt-4o-mini-tts",
    defaultVoice: "alloy",
    languages: LANGUAGES,
    // OpenAI's newer models ignore the parameter.
    speedRange: (model) => (model.startsWith("gpt-") ? [1, 1] : [0.25, 4]),
    listVoices: async (access, signal) => {
      const names = access.baseUrl === OPENAI_BASE_URL ? VOICES : await listOpenAiVoices(access, signal);
      return names.map(toVoice);
    },
    load: async () => {
      const { createOpenAiTextToSpeech } = await import("./text-to-speech.ts");
      return (access, options) => createOpenAiTextToSpeech({ ...access, ...options });
    },
  },
} as const satisfies ProviderKind;

/** Language models of OpenAI, or of a server with its chat completions. */
export const openAiCompatible = {
  displayName: "OpenAI or compatible",
  variables: {
    PARLEY_LLM_BASE_URL: {
      description: "URL of an OpenAI-compatible API, ending in its version (`https://…/v1`).",
    },
    PARLEY_LLM_API_KEY: { description: "API key for PARLEY_LLM_BASE_URL. Default: OPENAI_API_KEY." },
  },
  apiKeyVariables: ["PARLEY_LLM_API_KEY", "OPENAI_API_KEY"],
  baseUrlVariable: "PARLEY_LLM_BASE_URL",
  defaultBaseUrl: OPENAI_BASE_URL,
  needsKey: "atDefaultUrl",
  checkKey: checkOpenAiKey,
  languageModel: {
    defaultModel: "gpt-4o-mini",
    listModels: listOpenAiModels,
    maxTemperature: (model) => (takesTemperature(model) ? 2 : undefined),
    // Others are refused by OpenAI; servers of others decide themselves.
    canReason: (model) => !/^(gpt-3|gpt-4|chatgpt)/.test(model),
    callSettings: ["maxOutputTokens", "topP", "frequencyPenalty", "presencePenalty", "seed", "stopSequences"],
    probe: probeChatCompletions,
    load: async () => {
      const { createOpenAiCompatibleModel } = await import("./openai-compatible.ts");
      return (access, options) => createOpenAiCompatibleModel({ ...access, ...options });
    },
  },
} as const satisfies ProviderKind;

function toVoice(name: string): VendorVoice {
  const displayName = name.charAt(0).toUpperCase() + name.slice(1);
  return { name, displayName, language: undefined, gender: null, category: "standard" };
}
