export * from "./providers/language-model.ts";
export * from "./providers/provider-error.ts";
export * from "./providers/speech-to-text.ts";
export * from "./providers/text-to-speech.ts";
export * from "./providers/voice-activity.ts";
