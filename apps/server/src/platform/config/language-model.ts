import path from "node:path";
import { isModelAddress } from "@parley/providers/models";
import {
  type ModelProviderId,
  modelProviderIds,
  modelProviderKind,
  splitId,
} from "@parley/providers/registry";
import { type ContextWindows, parseContextTokens } from "./context-tokens.ts";
import type { EnvironmentReader } from "./environment-reader.ts";
import { type ProviderAccessById, requireAccess } from "./provider-access.ts";

export type LanguageModelConfig =
  | { provider: ModelProviderId; model: string; contextWindows?: ContextWindows }
  /** `path`: of a file, or an address on Hugging Face (`hf:owner/repo:quant`). */
  | { provider: "gguf"; path: string; contextWindows?: ContextWindows }
  | { provider: "builtin-responder" };

/** A language model that is reached over the network. */
export type RemoteModelConfig = Extract<LanguageModelConfig, { provider: ModelProviderId }>;

/**
 * Returns the model of the provider in PARLEY_LLM, else of the configured endpoint, else the GGUF file, else of the first
 * provider that is configured, else the built-in responder.
 */
export function readLanguageModel(
  reader: EnvironmentReader,
  access: ProviderAccessById,
): LanguageModelConfig {
  const model = reader.text("PARLEY_LLM_MODEL");
  const gguf = reader.text("PARLEY_LLM_GGUF");
  const contextWindows = reader.parse("PARLEY_LLM_CONTEXT_TOKENS", parseContextTokens);
  const window = contextWindows !== undefined && { contextWindows };
  const chosen = readProvider(reader, access);
  if (chosen !== undefined) {
    if (gguf !== undefined && chosen.because !== undefined)
      reader.report(`PARLEY_LLM_GGUF and ${chosen.because} cannot both be set: remove one`);
    if (chosen.because !== undefined || gguf === undefined)
      return { provider: chosen.provider, model: readModel(reader, chosen), ...window };
  }
  if (gguf !== undefined) {
    const file = isModelAddress(gguf) ? gguf : path.resolve(gguf);
    return { provider: "gguf", path: file, ...window };
  }
  if (model !== undefined)
    reader.report(
      "PARLEY_LLM_MODEL has no effect without PARLEY_LLM_BASE_URL or a provider's key such as OPENAI_API_KEY: set one of them",
    );
  if (contextWindows !== undefined)
    reader.report("PARLEY_LLM_CONTEXT_TOKENS has no effect without a language model: set one, or remove it");
  return { provider: "builtin-responder" };
}

/** Returns the model in PARLEY_LLM_FALLBACK. */
export function readLanguageModelFallback(
  reader: EnvironmentReader,
  access: ProviderAccessById,
): RemoteModelConfig | undefined {
  const named = reader.parse("PARLEY_LLM_FALLBACK", parseModelId);
  if (named === undefined) return undefined;
  requireAccess(reader, access, named.provider, `PARLEY_LLM_FALLBACK=${named.provider}/${named.name}`);
  return { provider: named.provider, model: named.name };
}

function parseModelId(value: string): { provider: ModelProviderId; name: string } {
  const named = splitId(modelProviderIds, value);
  if (named !== undefined) return named;
  throw new Error(
    `must be a provider and its model, such as ${modelProviderIds[0]}/gpt-4o-mini, not "${value}"`,
  );
}

interface ChosenProvider {
  provider: ModelProviderId;
  /** The variable that chose it; `undefined` if its key alone did. */
  because: "PARLEY_LLM" | "PARLEY_LLM_BASE_URL" | undefined;
}

function readProvider(reader: EnvironmentReader, access: ProviderAccessById): ChosenProvider | undefined {
  const named = reader.parse("PARLEY_LLM", parseProvider);
  if (named !== undefined) {
    requireAccess(reader, access, named, `PARLEY_LLM=${named}`);
    return { provider: named, because: "PARLEY_LLM" };
  }
  if (reader.text("PARLEY_LLM_BASE_URL") !== undefined)
    return { provider: "openai-compatible", because: "PARLEY_LLM_BASE_URL" };
  const provider = modelProviderIds.find((id) => access[id] !== undefined);
  return provider && { provider, because: undefined };
}

function parseProvider(value: string): ModelProviderId {
  const id = modelProviderIds.find((each) => each === value);
  if (id !== undefined) return id;
  throw new Error(`must be one of ${modelProviderIds.join(", ")}, not "${value}"`);
}

/** The default model of OpenAI is none of another server. */
function readModel(reader: EnvironmentReader, { provider, because }: ChosenProvider): string {
  const { defaultModel } = modelProviderKind(provider);
  const isOtherServer = provider === "openai-compatible" && reader.text("PARLEY_LLM_BASE_URL") !== undefined;
  if (defaultModel !== undefined && !isOtherServer) return reader.text("PARLEY_LLM_MODEL") ?? defaultModel;
  const cause = isOtherServer ? "PARLEY_LLM_BASE_URL" : `${because ?? "PARLEY_LLM"}=${provider}`;
  return reader.requiredText("PARLEY_LLM_MODEL", cause);
}
