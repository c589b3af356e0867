import { errorMessage } from "@parley/conversation/error-message";
import { ensureModels, ModelFetchError, type ModelGroup } from "@parley/providers/models";
import type { Config } from "../platform/config/config.ts";
import { ModelProgressDisplay } from "./model-progress.ts";

/** Models that a node with this configuration loads. */
export function modelGroupsOf({
  localSpeech,
  languageModel,
  speechFit,
}: Pick<Config, "localSpeech" | "languageModel" | "speechFit">): ModelGroup[] {
  const groups: ModelGroup[] = ["silero"];
  if (localSpeech.hasSpeechToText) groups.push(`moonshine-${speechFit.recognizer ?? "base"}`, "smart-turn");
  if (localSpeech.hasTextToSpeech) groups.push("kokoro", "dittli");
  if (languageModel.provider === "builtin-responder") groups.push("minilm");
  return groups;
}

/** Ensures that the models of this configuration are on disk; shows the progress of those that are missing. */
export async function fetchModels(config: Readonly<Config>, signal: AbortSignal): Promise<void> {
  const { modelsDirectory } = config;
  const groups = modelGroupsOf(config);
  const display = new ModelProgressDisplay(modelsDirectory);
  try {
    await ensureModels({
      modelsDir: modelsDirectory,
      groups,
      signal,
      onProgress: (progress) => display.show(progress),
    });
  } catch (error) {
    signal.throwIfAborted();
    throw explainModelError(error, modelsDirectory);
  } finally {
    display.end();
  }
}

/** The same error with its remedy for the operator. */
export function explainModelError(error: unknown, modelsDirectory: string): Error {
  const message = errorMessage(error);
  if (error instanceof ModelFetchError) {
    return new Error(
      `${message}. Without internet access: run "npm run models" on a machine that has it, then copy its folder ` +
        `~/.cache/parley/models to ${modelsDirectory} (PARLEY_MODELS_DIR)`,
      { cause: error },
    );
  }
  return new Error(
    `the speech models cannot be stored in ${modelsDirectory} (PARLEY_MODELS_DIR): ${message}`,
    {
      cause: error,
    },
  );
}
