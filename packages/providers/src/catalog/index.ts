/**
 * What vendors offer: voices, models and languages. A separate entry point without the vendors' clients, for the main
 * process.
 */
export { DEEPGRAM_LANGUAGES, ELEVENLABS_LANGUAGES, OPENAI_LANGUAGES } from "./languages.ts";
export { hasElevenLabsVoice, listElevenLabsVoices } from "./elevenlabs-voices.ts";
export { listOpenAiModels, listOpenAiVoices, OPENAI_VOICES } from "./openai-lists.ts";
export type { VendorAccess, VendorVoice } from "./vendor.ts";
