import type { Language } from "@parley/contract";
import { hasStandardTexts } from "@parley/conversation";
import { recognizerKind, voiceProviderIds, voiceProviderKind } from "@parley/providers/registry";
import type { Config } from "../../platform/config/config.ts";

const LOCAL_LANGUAGES: readonly string[] = ["en"];

/** Language of a BCP 47 tag, without its region. */
export function baseLanguage(tag: string): string {
  return tag.split("-")[0]?.toLowerCase() ?? "";
}

/** Languages that the configured speech recognition understands, without regions. */
export function listHeardLanguages({ speechToText }: Pick<Config, "speechToText">): readonly string[] {
  return speechToText.provider === "local"
    ? LOCAL_LANGUAGES
    : recognizerKind(speechToText.provider).languages;
}

/** Languages that are heard or spoken, in the order of their names. */
export function listLanguages(
  config: Pick<Config, "speechToText" | "providerAccess" | "localSpeech">,
): Language[] {
  const heard = listHeardLanguages(config);
  const spoken = new Set([
    ...voiceProviderIds
      .filter((id) => config.providerAccess[id] !== undefined)
      .flatMap((id) => voiceProviderKind(id).languages),
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
