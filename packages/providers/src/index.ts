/**
 * Language models, speech recognizers and voices behind the interfaces of `@parley/conversation`.
 *
 * @module providers
 */
export * from "./models/index.ts";
export * from "./local/index.ts";
export { withSpeedRange, type SpeedRange } from "./speed/speed-range.ts";
export {
  type CartesiaOptions,
  type CartesiaTextToSpeech,
  createCartesiaTextToSpeech,
} from "./cartesia/cartesia.ts";
export { createDeepgramSpeechToText, type DeepgramOptions } from "./deepgram/deepgram.ts";
export {
  createElevenLabsTextToSpeech,
  type ElevenLabsOptions,
  type ElevenLabsTextToSpeech,
} from "./elevenlabs/elevenlabs.ts";
export type { OwnedModel, RemoteModelOptions } from "./http/owned-model.ts";
export {
  createOpenAiCompatibleModel,
  type OpenAiCompatibleOptions,
} from "./openai-compatible/openai-compatible.ts";
export { createOpenAiSpeechToText, type OpenAiSpeechToText } from "./openai-compatible/speech-to-text.ts";
export { createOpenAiTextToSpeech, type OpenAiTextToSpeech } from "./openai-compatible/text-to-speech.ts";
export {
  createBuiltinResponder,
  type BuiltinResponderOptions,
} from "./builtin-responder/builtin-responder.ts";
