import { connectInference } from "@parley/providers/local";
import { loadLanguageModels } from "../../model-providers/language-models.ts";
import {
  chooseLanguageModel,
  type ModelSettings,
  STANDARD_MODEL,
} from "../../platform/config/choose-language-model.ts";
import type { AnalysisModel } from "./ask-for-json.ts";

/** No caller waits for the answer, and a model may reason before it writes. */
const DEADLINES = { firstByteTimeoutMs: 120_000, betweenChunksTimeoutMs: 60_000 };
/** A local model's context of 4,096 tokens fits instructions and transcript (about 2,500) and the answer. */
const SIZES = {
  local: { mostCharacters: 10_000, settings: { temperature: 0, maxOutputTokens: 1_000 } },
  remote: { mostCharacters: 160_000, settings: {} },
};
/** Leaves a quarter of a model's window for the answer, at three characters per token. */
const CHARACTERS_PER_WINDOW_TOKEN = 2.25;

export interface OpenAnalysisModel {
  analysisModel: AnalysisModel;
  /** The model of another name (`provider/model`), with the same settings. */
  find: (llmModel: string) => AnalysisModel;
  close: () => Promise<void>;
}

/** Configured language model, with the settings for analysis. */
export async function openAnalysisModel(
  settings: ModelSettings,
  inferencePath: string,
): Promise<OpenAnalysisModel> {
  const inference = connectInference({ path: inferencePath });
  const closers: (() => Promise<void>)[] = [async () => inference.close()];
  const findModel = await loadLanguageModels(settings, inference, closers, DEADLINES);
  const find = (llmModel: string): AnalysisModel => {
    const [model] = findModel(llmModel);
    const { provider } = chooseLanguageModel(settings, llmModel);
    const { mostCharacters, settings: callSettings } = SIZES[provider === "gguf" ? "local" : "remote"];
    const windowCharacters = (model.contextTokens ?? Infinity) * CHARACTERS_PER_WINDOW_TOKEN;
    return { model, mostCharacters: Math.min(mostCharacters, windowCharacters), settings: callSettings };
  };
  return {
    analysisModel: find(STANDARD_MODEL),
    find,
    close: async () => void (await Promise.all(closers.map((close) => close()))),
  };
}
