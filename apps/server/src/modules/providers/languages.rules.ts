import type { Language } from "@parley/contract";
import { hasStandardTexts } from "@parley/conversation";
import { DEEPGRAM_LANGUAGES, ELEVENLABS_LANGUAGES, OPENAI_LANGUAGES } from "@parley/providers/catalog";
import type { Config } from "../../platform/config/config.ts";

const LOCAL_LANGUAGES: readonly string[] = ["en"];

const heardBy: Readonly<Record<Config["speechToText"]["provider"], readonly string[]>> = {
  local: LOCAL_LANGUAGES,
  deepgram: DEEPGRAM_LANGUAGES,
  openai: OPENAI_LANGUAGES,
};

const spokenBy: Readonly<Record<Config["textToSpeech"]["provider"], readonly string[]>> = {
  local: LOCAL_LANGUAGES,
  elevenlabs: ELEVENLABS_LANGUAGES,
  openai: OPENAI_LANGUAGES,
};

/** Language of a BCP 47 tag, without its region. */
export function baseLanguage(tag: string): string {
  return tag.split("-")[0]?.toLowerCase() ?? "";
}

/** Languages that the configured speech recognition understands, without regions. */
export function listHeardLanguages({ speechToText }: Pick<Config, "speechToText">): readonly string[] {
  return heardBy[speechToText.provider];
}

/** Languages that the voices of a provider speak, without regions. */
export function listSpokenLanguages(provider: Config["textToSpeech"]["provider"]): readonly string[] {
  return spokenBy[provider];
}

/** Languages that are heard or spoken, in the order of their names. */
export function listLanguages(
  config: Pick<Config, "speechToText" | "textToSpeech" | "localSpeech">,
): Language[] {
  const heard = listHeardLanguages(config);
  const spoken = new Set([
    ...listSpokenLanguages(config.textToSpeech.provider),
    ...(config.localSpeech.hasTextToSpeech ? LOCAL_LANGUAGES : []),
  ]);
  const names = new Intl.DisplayNames("en", { type: "language" });
  return [...new Set([...heard, ...spoken])]
    .map((id) => ({
      id,
      displayName: names.of(id) ?? id,
      isHeard: heard.includes(id),
      isSpoken: spoken.has(id),
      hasPhrases: hasStandardTexts(id),
    }))
    .sort((a, b) => a.displayName.localeCompare(b.displayName, "en"));
}
