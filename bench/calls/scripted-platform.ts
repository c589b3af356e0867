import { Platform } from "../../e2e/support/platform/platform.ts";

/** URLs of the scripted providers. */
export interface ProviderUrls {
  stt: string;
  llm: string;
  tts: string;
}

/** Starts a platform as an operator starts it, with the scripted providers. */
export function startScriptedPlatform(
  urls: ProviderUrls,
  env: Readonly<Record<string, string>> = {},
): Promise<Platform> {
  return Platform.start({ env: { ...scriptedProviderEnv(urls), ...env } });
}

/** Environment of a node that uses the scripted providers. */
export function scriptedProviderEnv(urls: ProviderUrls): Record<string, string> {
  return {
    PARLEY_STT: "deepgram",
    DEEPGRAM_API_KEY: "bench",
    DEEPGRAM_BASE_URL: urls.stt,
    PARLEY_TTS: "elevenlabs",
    ELEVENLABS_API_KEY: "bench",
    ELEVENLABS_BASE_URL: urls.tts,
    PARLEY_LLM_BASE_URL: `${urls.llm}/v1`,
    PARLEY_LLM_API_KEY: "bench",
    PARLEY_LLM_MODEL: "scripted",
  };
}
