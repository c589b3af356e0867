import type { ProviderKind } from "../registry/provider-kind.ts";
import { elevenLabsCloning } from "./voice-cloning.ts";
import { checkElevenLabsKey, hasElevenLabsVoice, listElevenLabsVoices } from "./voices.ts";

/** Languages of Flash v2.5 (https://elevenlabs.io/docs/models). */
const LANGUAGES =
  "ar bg cs da de el en es fi fil fr hi hr hu id it ja ko ms nl no pl pt ro ru sk sv ta tr uk vi zh".split(
    " ",
  );

export const elevenLabs = {
  displayName: "ElevenLabs",
  variables: {
    ELEVENLABS_API_KEY: { description: "API key of ElevenLabs. Required with PARLEY_TTS=elevenlabs." },
    ELEVENLABS_BASE_URL: { description: "URL of the ElevenLabs API, if it is not the public one." },
  },
  apiKeyVariables: ["ELEVENLABS_API_KEY"],
  baseUrlVariable: "ELEVENLABS_BASE_URL",
  defaultBaseUrl: "https://api.elevenlabs.io",
  needsKey: "always",
  checkKey: checkElevenLabsKey,
  textToSpeech: {
    defaultModel: "eleven_flash_v2_5",
    defaultVoice: "21m00Tcm4TlvDq8ikWAM",
    languages: LANGUAGES,
    hasTemperature: true,
    speedRange: () => [0.7, 1.2],
    listVoices: listElevenLabsVoices,
    hasVoice: hasElevenLabsVoice,
    cloning: elevenLabsCloning,
    load: async () => {
      const { createElevenLabsTextToSpeech } = await import("./elevenlabs.ts");
      return (access, options) => createElevenLabsTextToSpeech({ ...access, ...options });
    },
  },
} as const satisfies ProviderKind;
