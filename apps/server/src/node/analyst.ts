import { connectInference } from "@parley/providers/local";
import { createLanguageModel } from "../model-providers/language-models.ts";
import type { InferenceProcess } from "../inference/inference-supervisor.ts";
import { CallAnalyst } from "../modules/analysis/call-analyst.ts";
import type { Modules } from "../modules/modules.ts";
import type { Database } from "../platform/database/database.ts";
import type { NodeContext } from "./node-context.ts";

/** Nobody waits on the line, and a model may reason before it writes. */
const ANALYSIS_MODEL_DEADLINES = { firstByteTimeoutMs: 120_000, betweenChunksTimeoutMs: 60_000 };
/** A local model's context of 4,096 tokens holds instructions and transcript (about 2,500) and the answer. */
const ANALYSIS_SIZES = {
  local: { mostCharacters: 10_000, settings: { temperature: 0, maxOutputTokens: 1_000 } },
  remote: { mostCharacters: 160_000, settings: {} },
};

/** Judges calls that have ended, with the language model that the operator named. */
export function startAnalyst(
  { config, started }: NodeContext,
  database: Database,
  { calls, agentResolution }: Modules,
  { path: inferencePath }: InferenceProcess,
): CallAnalyst {
  const inference = connectInference({ path: inferencePath });
  const closers: (() => Promise<void>)[] = [async () => inference.close()];
  started.add(async () => void (await Promise.all(closers.map((close) => close()))));
  const model = createLanguageModel(config.languageModel, inference, closers, ANALYSIS_MODEL_DEADLINES);
  const sizes = ANALYSIS_SIZES[config.languageModel.provider === "gguf" ? "local" : "remote"];
  const analyst = new CallAnalyst({
    database,
    calls,
    agentResolution,
    analysisModel: { model, ...sizes },
  });
  started.add(async () => analyst.close());
  return analyst;
}
