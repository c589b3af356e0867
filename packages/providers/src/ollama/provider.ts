import { checkOpenAiKey, listOpenAiModels, probeChatCompletions } from "../openai-compatible/lists.ts";
import type { ProviderAccess, ProviderKind } from "../registry/provider-kind.ts";

/** Port of Ollama on the machine that it runs on. */
export const OLLAMA_BASE_URL = "http://127.0.0.1:11434";
/** A server on this machine answers at once; a start must not wait for one that is not there. */
const PROBE_TIMEOUT_MS = 1_000;

/** Ollama by its OpenAI-compatible endpoint (https://docs.ollama.com/openai). */
export const ollama = {
  displayName: "Ollama",
  variables: {
    OLLAMA_BASE_URL: {
      description:
        "URL of Ollama, without a path. Default: Ollama is used if it answers on this machine at start (`http://127.0.0.1:11434`).",
    },
  },
  apiKeyVariables: [],
  baseUrlVariable: "OLLAMA_BASE_URL",
  defaultBaseUrl: OLLAMA_BASE_URL,
  needsKey: "never",
  checkKey: async (access, signal) => await checkOpenAiKey(atVersion(access), signal),
  languageModel: {
    defaultModel: undefined,
    listModels: async (access, signal) => await listOpenAiModels(atVersion(access), signal),
    maxTemperature: () => 2,
    canReason: () => true,
    callSettings: ["maxOutputTokens", "topP", "frequencyPenalty", "presencePenalty", "seed", "stopSequences"],
    probe: (access, model) => probeChatCompletions(atVersion(access), model),
    load: async () => {
      const { createOpenAiCompatibleModel } = await import("../openai-compatible/openai-compatible.ts");
      return (access, options) =>
        createOpenAiCompatibleModel({ ...atVersion(access), ...options, providerName: "ollama" });
    },
  },
} as const satisfies ProviderKind;

/** Names of the models of the Ollama on this machine; `undefined` if none answers. */
export async function findOllama(baseUrl: string, signal: AbortSignal): Promise<string[] | undefined> {
  const limits = AbortSignal.any([signal, AbortSignal.timeout(PROBE_TIMEOUT_MS)]);
  return await listOpenAiModels(atVersion({ baseUrl }), limits).catch(() => undefined);
}

function atVersion(access: ProviderAccess): ProviderAccess {
  return { ...access, baseUrl: `${access.baseUrl}/v1` };
}
