/** What providers offer and how to reach them, without their clients. */
export type {
  CallSetting,
  Connect,
  LanguageModelKind,
  LanguageModelOptions,
  Owned,
  ProbeRequest,
  ProviderAccess,
  ProviderKind,
  SpeechToTextKind,
  TextToSpeechKind,
  VendorVoice,
  VoiceCloning,
  VoiceSample,
} from "./provider-kind.ts";
export {
  modelProviderIds,
  modelProviderKind,
  type ModelProviderId,
  type ProviderId,
  providerIds,
  providerKind,
  type ProviderVariable,
  recognizerIds,
  recognizerKind,
  type RecognizerId,
  splitId,
  voiceProviderIds,
  voiceProviderKind,
  type VoiceProviderId,
} from "./registry.ts";
export { findOllama, OLLAMA_BASE_URL } from "../ollama/provider.ts";
export { OPENAI_BASE_URL } from "../openai-compatible/provider.ts";
export { sampleIdOf } from "./clone-names.ts";
