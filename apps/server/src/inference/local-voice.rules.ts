import type { Config } from "../platform/config/config.ts";

/**
 * Local voice of an agent with this voice id (empty: the operator's default); `undefined` if its voice is a vendor's,
 * whose ids begin with the vendor's name.
 */
export function findLocalVoice(
  voiceId: string,
  provider: Config["textToSpeech"]["provider"],
  defaultVoice: string,
): string | undefined {
  if (provider !== "local" && (voiceId === "" || voiceId.startsWith(`${provider}/`))) return undefined;
  return voiceId === "" ? defaultVoice : voiceId;
}
