import path from "node:path";
import { type ContextWindows, parseContextTokens } from "./context-tokens.ts";
import type { EnvironmentReader } from "./environment-reader.ts";

export type LanguageModelConfig =
  | {
      provider: "openai-compatible";
      baseUrl: string;
      apiKey?: string;
      model: string;
      contextWindows?: ContextWindows;
    }
  | { provider: "gguf"; path: string; contextWindows?: ContextWindows }
  | { provider: "builtin-responder" };

/** API of OpenAI, for language models and speech. */
export const OPENAI_BASE_URL = "https://api.openai.com/v1";
const OPENAI_MODEL = "gpt-4o-mini";

/** Returns the configured endpoint, else the GGUF file, else OpenAI if there is a key, else the built-in responder. */
export function readLanguageModel(reader: EnvironmentReader): LanguageModelConfig {
  const baseUrl = reader.url("PARLEY_LLM_BASE_URL");
  const apiKey = reader.text("PARLEY_LLM_API_KEY") ?? reader.text("OPENAI_API_KEY");
  const model = reader.text("PARLEY_LLM_MODEL");
  const gguf = reader.text("PARLEY_LLM_GGUF");
  const contextWindows = reader.parse("PARLEY_LLM_CONTEXT_TOKENS", parseContextTokens);
  const window = contextWindows !== undefined && { contextWindows };
  if (reader.text("PARLEY_LLM_BASE_URL") !== undefined) {
    if (gguf !== undefined)
      reader.report("PARLEY_LLM_GGUF and PARLEY_LLM_BASE_URL cannot both be set: remove one");
    return {
      provider: "openai-compatible",
      baseUrl: baseUrl ?? "",
      model: reader.requiredText("PARLEY_LLM_MODEL", "PARLEY_LLM_BASE_URL"),
      ...(apiKey !== undefined && { apiKey }),
      ...window,
    };
  }
  if (gguf !== undefined) return { provider: "gguf", path: path.resolve(gguf), ...window };
  if (apiKey !== undefined) {
    const named = { baseUrl: OPENAI_BASE_URL, apiKey, model: model ?? OPENAI_MODEL };
    return { provider: "openai-compatible", ...named, ...window };
  }
  if (model !== undefined)
    reader.report(
      "PARLEY_LLM_MODEL has no effect without PARLEY_LLM_BASE_URL or OPENAI_API_KEY: set one of them",
    );
  if (contextWindows !== undefined)
    reader.report("PARLEY_LLM_CONTEXT_TOKENS has no effect without a language model: set one, or remove it");
  return { provider: "builtin-responder" };
}
