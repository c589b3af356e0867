import path from "node:path";
import type { LanguageModel } from "@parley/conversation";
import {
  createBuiltinResponder,
  createInferenceLanguageModel,
  type InferenceClient,
} from "@parley/providers";
import { modelProviderIds, modelProviderKind, type ModelProviderId } from "@parley/providers/registry";
import { findContextTokens } from "../platform/config/context-tokens.ts";
import { chooseLanguageModel, type ModelSettings } from "../platform/config/choose-language-model.ts";
import type { LanguageModelConfig, RemoteModelConfig } from "../platform/config/language-model.ts";

/** Limits the number of connections: each model has its own. */
const MAX_NAMED_MODELS = 100;
/** A sentence's embedding takes milliseconds; a process that takes this long counts as failed. */
const EMBEDDING_DEADLINE_MS = 5_000;

export interface ModelDeadlines {
  /** Milliseconds from the request to the first byte of the reply. */
  firstByteTimeoutMs: number;
  betweenChunksTimeoutMs: number;
}

/** A model, then those that replace it after a failure. */
export type LanguageModelChain = readonly [LanguageModel, ...LanguageModel[]];

type Connector = Awaited<ReturnType<ReturnType<typeof modelProviderKind>["load"]>>;

/**
 * Loads the clients of the configured providers. Returns a function that finds the model of an agent's `llmModel`, one for
 * each name, shared by their calls; then those that replace it after a failure: the operator's model and its fallback.
 *
 * @param closers Receives what the caller must close.
 * @param deadlines Default: those of a conversation.
 */
export async function loadLanguageModels(
  settings: ModelSettings,
  inference: InferenceClient,
  closers: (() => Promise<void>)[],
  deadlines?: ModelDeadlines,
): Promise<(llmModel: string) => LanguageModelChain> {
  const connectors = new Map<ModelProviderId, Connector>();
  for (const id of modelProviderIds)
    if (settings.providerAccess[id] !== undefined) connectors.set(id, await modelProviderKind(id).load());
  const connect = (model: RemoteModelConfig): LanguageModel => {
    const access = settings.providerAccess[model.provider];
    const connector = connectors.get(model.provider);
    if (access === undefined || connector === undefined)
      throw new Error(`the provider ${model.provider} is not configured`);
    const contextTokens = findContextTokens(model.model, model.contextWindows);
    const connected = connector(access, { model: model.model, contextTokens, ...deadlines });
    closers.push(async () => await connected.close?.());
    return connected;
  };
  const create = (model: LanguageModelConfig): LanguageModel => {
    if (model.provider === "gguf") return createFileModel(model.path, inference, deadlines);
    return model.provider === "builtin-responder" ? createResponder(inference) : connect(model);
  };
  const { languageModel, languageModelFallback } = settings;
  const fallback = languageModelFallback && create(languageModelFallback);
  const standard: LanguageModelChain = [create(languageModel), ...(fallback ? [fallback] : [])];
  const named = new Map<string, LanguageModelChain>();
  return (llmModel) => {
    const known = named.get(llmModel);
    if (known !== undefined) return known;
    const chosen = chooseLanguageModel(settings, llmModel);
    if (chosen === languageModel || named.size >= MAX_NAMED_MODELS) return standard;
    const chain: LanguageModelChain = [create(chosen), ...standard];
    named.set(llmModel, chain);
    return chain;
  };
}

function createFileModel(
  file: string,
  inference: InferenceClient,
  deadlines: ModelDeadlines | undefined,
): LanguageModel {
  const deadlineMs = deadlines && { deadlineMs: deadlines.firstByteTimeoutMs };
  return createInferenceLanguageModel(inference, { modelId: path.basename(file), ...deadlineMs });
}

function createResponder(inference: InferenceClient): LanguageModel {
  return createBuiltinResponder({
    embed: async (texts, signal) => {
      const limits = { signal, deadlineMs: EMBEDDING_DEADLINE_MS };
      return (await inference.request("embed", { texts }, limits)).vectors;
    },
  });
}

/** Whether it is the model of servers without a language model, which follows no instructions but those to speak a text. */
export function isBuiltinResponder({ provider, modelId }: LanguageModel): boolean {
  return provider === "parley" && modelId === "builtin-responder";
}
