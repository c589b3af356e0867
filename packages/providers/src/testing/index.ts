export {
  startScriptedCartesia,
  type ScriptedCartesiaOptions,
  type ScriptedCartesiaVoice,
} from "./scripted-cartesia.ts";
export { startScriptedDeepgram, type ScriptedDeepgramOptions } from "./scripted-deepgram.ts";
export { startScriptedElevenLabs, type ScriptedElevenLabsOptions } from "./scripted-elevenlabs.ts";
export { startScriptedAnthropic } from "./scripted-anthropic.ts";
export type { ScriptedChatOptions, ScriptedChatReply, ScriptedChatRequest } from "./scripted-chat.ts";
export { startScriptedGoogle } from "./scripted-google.ts";
export { type ScriptedEmbeddingsOptions, startScriptedEmbeddings } from "./scripted-embeddings.ts";
export { startScriptedOpenAi } from "./scripted-openai.ts";
export { startScriptedOpenAiSpeech, type ScriptedOpenAiSpeechOptions } from "./scripted-openai-speech.ts";
export {
  type HookAnswer,
  SCRIPTED_ACCOUNT,
  ScriptedTwilio,
  type ScriptedTwilioOptions,
  type TwilioFault,
  type TwilioMessage,
} from "./scripted-twilio.ts";
export type { ScriptedFault } from "./scripted-fault.ts";
export type { ScriptedExchange, ScriptedServer, ScriptedStats } from "./scripted-server.ts";
