export * from "./models/index.ts";
export { connectInference, type ConnectInferenceOptions } from "./local/inference/client.ts";
export { createInProcessInference } from "./local/inference/in-process-client.ts";
export { JobQueue, type JobOptions, type JobQueueOptions } from "./local/inference/job-queue.ts";
export {
  serveInference,
  type InferenceServer,
  type ServeInferenceOptions,
} from "./local/inference/server.ts";
export { createDeepgramSpeechToText, type DeepgramOptions } from "./deepgram/deepgram.ts";
export {
  createElevenLabsTextToSpeech,
  type ElevenLabsOptions,
  type ElevenLabsTextToSpeech,
} from "./elevenlabs/elevenlabs.ts";
export {
  createOpenAiCompatibleModel,
  type OpenAiCompatibleModel,
  type OpenAiCompatibleOptions,
} from "./openai-compatible/openai-compatible.ts";
export { createOpenAiSpeechToText, type OpenAiSpeechToText } from "./openai-compatible/speech-to-text.ts";
export { createOpenAiTextToSpeech, type OpenAiTextToSpeech } from "./openai-compatible/text-to-speech.ts";
export {
  createEmbedHandler,
  loadMiniLm,
  type LoadMiniLmOptions,
  type MiniLm,
} from "./local/minilm/embedder.ts";
export { createTranscribeHandler } from "./local/moonshine/handler.ts";
export {
  loadMoonshine,
  type LoadMoonshineOptions,
  type Moonshine,
  type MoonshineSize,
} from "./local/moonshine/model.ts";
export { LocalSpeechToText, type LocalSpeechToTextOptions } from "./local/moonshine/speech-to-text.ts";
export { loadRnnoise } from "./local/rnnoise/rnnoise.ts";
export {
  loadSilero,
  type LoadSileroOptions,
  type SileroVoiceActivity,
} from "./local/silero/voice-activity.ts";
export {
  createTurnEndHandler,
  loadSmartTurn,
  type LoadSmartTurnOptions,
  type SmartTurn,
} from "./local/smart-turn/smart-turn.ts";
export { LocalTurnEnd, type LocalTurnEndOptions } from "./local/smart-turn/local-turn-end.ts";
export {
  createBuiltinResponder,
  type BuiltinResponderOptions,
} from "./builtin-responder/builtin-responder.ts";
export { loadGguf, type Gguf, type LoadGgufOptions } from "./local/gguf/gguf.ts";
export {
  createInferenceLanguageModel,
  type InferenceLanguageModelOptions,
} from "./local/gguf/inference-language-model.ts";
export type { InferenceClient, InferenceHandlers } from "./local/inference/methods.ts";
export { loadLexicon, type Lexicon } from "./local/phonemes/lexicon.ts";
export { loadKokoro, type LoadKokoroOptions } from "./local/kokoro/kokoro.ts";
export { loadDittli, type LoadDittliOptions } from "./local/dittli/dittli.ts";
export { createSynthesizeHandler } from "./local/synthesis/handler.ts";
export { LocalTextToSpeech, type LocalTextToSpeechOptions } from "./local/synthesis/local-text-to-speech.ts";
export { defaultLocalVoice, fastLocalVoice, localVoices, type LocalVoice } from "./local/synthesis/voices.ts";
export type { SpeechEngine } from "./local/synthesis/engine.ts";
