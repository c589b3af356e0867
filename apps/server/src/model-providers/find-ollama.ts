import { findOllama, OLLAMA_BASE_URL } from "@parley/providers/registry";
import type { Config } from "../platform/config/config.ts";

/** Models that turn text into numbers, and cannot answer. */
const EMBEDDING_MODEL = /embed|bge-|minilm/i;

/**
 * Adds the Ollama of this machine to a configuration without one, if it answers. Its first model becomes the default one if
 * no language model is configured. Takes at most a second.
 *
 * @param baseUrl Only for tests.
 */
export async function addOllama(
  config: Readonly<Config>,
  baseUrl: string = OLLAMA_BASE_URL,
): Promise<{ config: Readonly<Config>; found?: string }> {
  if (config.providerAccess.ollama !== undefined) return { config };
  const models = await findOllama(baseUrl, new AbortController().signal);
  if (models === undefined) return { config };
  const providerAccess = { ...config.providerAccess, ollama: { baseUrl } };
  const model = models.find((name) => !EMBEDDING_MODEL.test(name));
  if (config.languageModel.provider !== "builtin-responder" || model === undefined)
    return { config: Object.freeze({ ...config, providerAccess }) };
  const languageModel = { provider: "ollama", model } as const;
  return {
    config: Object.freeze({ ...config, providerAccess, languageModel }),
    found: `Ollama was found on this machine: ${model} is the language model (PARLEY_LLM=ollama with PARLEY_LLM_MODEL and OLLAMA_BASE_URL chooses another)`,
  };
}
