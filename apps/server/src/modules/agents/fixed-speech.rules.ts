import type { FixedSpeech } from "@parley/providers/local";
import { findVoice, type VoiceSettings } from "../../inference/local-voice.rules.ts";
import type { AgentDocument } from "./agent-document.rules.ts";

type SpokenFields = Pick<
  AgentDocument,
  | "firstMessage"
  | "firstMessageOutbound"
  | "firstMessageMode"
  | "voicemailEnabled"
  | "voicemailAction"
  | "voicemailMessage"
  | "voiceId"
  | "voiceSpeed"
  | "language"
  | "phrases"
>;

const VARIABLE = /\{\{/;

/**
 * Texts that an agent says identically in every call, with the local voice that speaks them. `undefined` if its voice
 * is a vendor's, whose audio is not cached.
 */
export function fixedSpeechOf(
  document: SpokenFields,
  settings: Pick<VoiceSettings, "textToSpeech" | "providerAccess">,
): FixedSpeech | undefined {
  const { voiceSpeed: speed, language, firstMessageMode, firstMessage, firstMessageOutbound } = document;
  const voice = document.voiceId ?? "";
  if (findVoice(voice, settings).provider !== "local") return undefined;
  const greetings = firstMessageMode === "static" ? [firstMessage, firstMessageOutbound] : [];
  const hasMessage = document.voicemailEnabled && document.voicemailAction === "leave_message";
  const { fillers, ...phrases } = document.phrases;
  const voicemail = hasMessage ? [document.voicemailMessage] : [];
  const fixed = [...greetings, ...voicemail, ...fillers, ...Object.values(phrases)];
  const texts = fixed.flatMap((text) => (text === null || VARIABLE.test(text) ? [] : [text]));
  return { voice, speed, language, texts };
}
