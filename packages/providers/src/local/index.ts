/**
 * Local models: speech and answers without an account. A separate entry point, so that vendors' clients are not loaded.
 */
export { connectInference, type ConnectInferenceOptions } from "./inference/client.ts";
export { createInProcessInference } from "./inference/in-process-client.ts";
export { jobPriorities, JobLoad, type JobLoadOptions, type JobPriority } from "./inference/job-load.ts";
export { JobQueue, type JobOptions, type JobQueueOptions } from "./inference/job-queue.ts";
export { serveInference, type InferenceServer, type ServeInferenceOptions } from "./inference/server.ts";
export { createEmbedHandler, loadMiniLm, type LoadMiniLmOptions, type MiniLm } from "./minilm/embedder.ts";
export { createTranscribeHandler } from "./moonshine/handler.ts";
export {
  loadMoonshine,
  type LoadMoonshineOptions,
  type Moonshine,
  type MoonshineSize,
} from "./moonshine/model.ts";
export { LocalSpeechToText, type LocalSpeechToTextOptions } from "./moonshine/speech-to-text.ts";
export { loadRnnoise } from "./rnnoise/rnnoise.ts";
export { loadSilero, type LoadSileroOptions, type SileroVoiceActivity } from "./silero/voice-activity.ts";
export {
  createTurnEndHandler,
  loadSmartTurn,
  type LoadSmartTurnOptions,
  type SmartTurn,
} from "./smart-turn/smart-turn.ts";
export { LocalTurnEnd, type LocalTurnEndOptions } from "./smart-turn/local-turn-end.ts";
export { loadGguf, type Gguf, type LoadGgufOptions } from "./gguf/gguf.ts";
export {
  createInferenceLanguageModel,
  type InferenceLanguageModelOptions,
} from "./gguf/inference-language-model.ts";
export type { InferenceClient, InferenceHandlers } from "./inference/methods.ts";
export { loadLexicon, type Lexicon } from "./phonemes/lexicon.ts";
export { loadKokoro, type LoadKokoroOptions } from "./kokoro/kokoro.ts";
export { loadDittli, type LoadDittliOptions } from "./dittli/dittli.ts";
export { createSynthesizeHandler } from "./synthesis/handler.ts";
export { type FixedSpeech, SpeechPreparation } from "./synthesis/speech-preparation.ts";
export { SpeechStore, type SpeechStoreOptions } from "./synthesis/speech-store.ts";
export { LocalTextToSpeech, type LocalTextToSpeechOptions } from "./synthesis/local-text-to-speech.ts";
export { DEFAULT_LOCAL_VOICE, FAST_LOCAL_VOICE, LOCAL_VOICES, type LocalVoice } from "./synthesis/voices.ts";
export type { SpeechEngine } from "./synthesis/engine.ts";
export { askMiniLm, askMoonshine, askSilero, askSmartTurn, askVoice } from "./self-test/ask-models.ts";
export { loadTested, type LoadTestedOptions, UnusableModelError } from "./self-test/self-test.ts";
export type { TestedGroup } from "../models/known-answers/known-answers.ts";
export {
  chooseSpeechFit,
  expectedFactor,
  MAX_RECOGNIZER_FACTOR,
  type SpeechFit,
  type SpeechFitSettings,
} from "./fit/speech-fit.ts";
export {
  measureRecognizer,
  measureVoice,
  type SpeechSpeeds,
  type SpeedMeasurement,
  type SpeedName,
} from "./fit/speech-speeds.ts";
export { addToSpeedRecord, readSpeedRecord, type SpeedRecordOptions } from "./fit/speed-record.ts";
