import {
  type ScriptedChatReply,
  type ScriptedChatRequest,
  startScriptedDeepgram,
  startScriptedElevenLabs,
  startScriptedOpenAi,
} from "@parley/providers/testing";

export interface ScriptedProviders {
  /** Environment that makes a platform use them. */
  env: Record<string, string>;
  close: () => Promise<void>;
}

const LATENCY_MS = 50;

/**
 * Starts Deepgram, ElevenLabs and a language model as servers on this machine that speak the vendors' wire
 * formats.
 *
 * @param question Transcript that the recognizer returns for any speech, or for an utterance.
 */
export async function startScriptedProviders(
  question: string | NonNullable<Parameters<typeof startScriptedDeepgram>[0]["utterance"]>,
  reply: (request: ScriptedChatRequest) => ScriptedChatReply,
): Promise<ScriptedProviders> {
  const stt = await startScriptedDeepgram({
    utterance: typeof question === "string" ? () => question : question,
    latencyMs: LATENCY_MS,
  });
  const llm = await startScriptedOpenAi({ reply, firstTokenDelayMs: LATENCY_MS });
  const tts = await startScriptedElevenLabs({ latencyMs: LATENCY_MS });
  const env = {
    PARLEY_STT: "deepgram",
    DEEPGRAM_API_KEY: "test",
    DEEPGRAM_BASE_URL: stt.url,
    PARLEY_TTS: "elevenlabs",
    ELEVENLABS_API_KEY: "test",
    ELEVENLABS_BASE_URL: tts.url,
    PARLEY_LLM_BASE_URL: `${llm.url}/v1`,
    PARLEY_LLM_API_KEY: "test",
    PARLEY_LLM_MODEL: "scripted",
  };
  return { env, close: async () => void (await Promise.all([stt.close(), llm.close(), tts.close()])) };
}
