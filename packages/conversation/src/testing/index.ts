export { CallDriver, type CallDriverOptions } from "./call-driver.ts";
export { EnergyVoiceActivityDetector } from "./energy-voice-activity.ts";
export { FakeClock } from "./fake-clock.ts";
export { FakeSpeechToText, type FakeFlushAnswer } from "./fake-speech-to-text.ts";
export { FakeTextToSpeech, type FakeSynthesis } from "./fake-text-to-speech.ts";
export { ScriptedLanguageModel, type ModelScript, type ModelStep } from "./scripted-language-model.ts";
export { tone } from "./tone.ts";
export { speechToTextConformance, type SpeechToTextSubject } from "./speech-to-text-conformance.ts";
export { textToSpeechConformance, type TextToSpeechSubject } from "./text-to-speech-conformance.ts";
