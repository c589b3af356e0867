import { ensureModels, type ModelGroup } from "@parley/providers/models";
import type { Config } from "../platform/config/config.ts";
import { ModelProgressDisplay } from "./model-progress.ts";

/** Makes sure that the models which this configuration uses are on disk; shows the progress where some are not. */
export async function fetchModels(
  { modelsDirectory, localSpeech, languageModel }: Readonly<Config>,
  signal: AbortSignal,
): Promise<void> {
  const groups: ModelGroup[] = ["silero"];
  if (localSpeech.hasSpeechToText) groups.push("moonshine-base", "smart-turn");
  if (localSpeech.hasTextToSpeech) groups.push("kokoro", "dittli");
  if (languageModel.provider === "builtin-responder") groups.push("minilm");
  const display = new ModelProgressDisplay(modelsDirectory);
  await ensureModels({
    modelsDir: modelsDirectory,
    groups,
    signal,
    onProgress: (progress) => display.show(progress),
  });
  display.end();
}
