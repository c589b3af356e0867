import type { TextToSpeech, TextToSpeechOptions } from "../../providers/text-to-speech.ts";

/** A provider with the name of one of its voices. */
export interface AgentVoice {
  tts: TextToSpeech;
  voice: string;
}

export type SpeechStyle = Omit<TextToSpeechOptions, "onEvent" | "voice">;
