import path from "node:path";
import type { LanguageModel } from "@parley/conversation";
import {
  createBuiltinResponder,
  createInferenceLanguageModel,
  createOpenAiCompatibleModel,
  type InferenceClient,
} from "@parley/providers";
import { findContextTokens } from "../platform/config/context-tokens.ts";
import { chooseLanguageModel } from "../platform/config/choose-language-model.ts";
import type { ProviderConfiguration } from "./provider-configuration.ts";

/** Limits the number of connections: each model has its own. */
const MAX_NAMED_MODELS = 100;
/** A sentence's embedding takes milliseconds; a process that takes this long counts as failed. */
const EMBEDDING_DEADLINE_MS = 5_000;

export interface ModelDeadlines {
  /** Milliseconds from the request to the first byte of the reply. */
  firstByteTimeoutMs: number;
  betweenChunksTimeoutMs: number;
}

/** Creates the model of a configuration. Adds what the caller must close to `closers`. */
export function createLanguageModel(
  configuration: ProviderConfiguration["languageModel"],
  inference: InferenceClient,
  closers: (() => Promise<void>)[],
  /** Defaults to those of a conversation. */
  deadlines?: ModelDeadlines,
): LanguageModel {
  switch (configuration.provider) {
    case "openai-compatible": {
      const contextTokens = findContextTokens(configuration.model, configuration.contextWindows);
      const model = createOpenAiCompatibleModel({ ...configuration, contextTokens, ...deadlines });
      closers.push(async () => await model.close());
      return model;
    }
    case "gguf": {
      const modelId = path.basename(configuration.path);
      const deadlineMs = deadlines && { deadlineMs: deadlines.firstByteTimeoutMs };
      return createInferenceLanguageModel(inference, { modelId, ...deadlineMs });
    }
    case "builtin-responder":
      return createBuiltinResponder({
        embed: async (texts, signal) => {
          const limits = { signal, deadlineMs: EMBEDDING_DEADLINE_MS };
          return (await inference.request("embed", { texts }, limits)).vectors;
        },
      });
  }
}

/** Creates one model for each name that agents use, shared by their calls. */
export function createLanguageModels(
  standard: ProviderConfiguration["languageModel"],
  inference: InferenceClient,
  closers: (() => Promise<void>)[],
): (llmModel: string) => LanguageModel {
  const standardModel = createLanguageModel(standard, inference, closers);
  const named = new Map<string, LanguageModel>();
  return (llmModel) => {
    const known = named.get(llmModel);
    if (known !== undefined) return known;
    const chosen = chooseLanguageModel(standard, llmModel);
    if (chosen === standard || named.size >= MAX_NAMED_MODELS) return standardModel;
    const model = createLanguageModel(chosen, inference, closers);
    named.set(llmModel, model);
    return model;
  };
}

/** Whether it is the model of servers without a language model, which follows no instructions but those to speak a text. */
export function isBuiltinResponder({ provider, modelId }: LanguageModel): boolean {
  return provider === "parley" && modelId === "builtin-responder";
}
