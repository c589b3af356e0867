import { isObject } from "../http/is-object.ts";
import { httpUrl, requestJson, unreadableAnswer } from "../http/request-json.ts";
import type { ProviderAccess, ProviderKind } from "../registry/provider-kind.ts";

/** Models that refuse requests with a temperature. */
const REFUSES_SAMPLING = /^claude-(opus-4-[7-9]|[a-z]+-[5-9])/;

export const anthropic = {
  displayName: "Anthropic",
  variables: {
    ANTHROPIC_API_KEY: { description: "API key of Anthropic. Sufficient alone to use Claude." },
    ANTHROPIC_BASE_URL: { description: "URL of the Anthropic API, if it is not the public one." },
  },
  apiKeyVariables: ["ANTHROPIC_API_KEY"],
  baseUrlVariable: "ANTHROPIC_BASE_URL",
  defaultBaseUrl: "https://api.anthropic.com",
  needsKey: "always",
  checkKey: async (access, signal) => void (await listModels(access, signal)),
  languageModel: {
    // The fastest one: a caller waits for the first word.
    defaultModel: "claude-haiku-4-5",
    listModels,
    maxTemperature: (model) => (REFUSES_SAMPLING.test(model) ? undefined : 1),
    canReason: (model) => !/^claude-3-(?!7)/.test(model),
    // With a temperature, which every agent has, the vendor refuses `topP`.
    callSettings: ["maxOutputTokens", "topK", "stopSequences"],
    probe: (access, model) => ({
      url: `${access.baseUrl}/v1/messages`,
      headers: headersOf(access),
      body: { model, max_tokens: 1, messages: [{ role: "user", content: "Hi" }] },
    }),
    load: async () => {
      const { createAnthropicModel } = await import("./anthropic.ts");
      return (access, options) => createAnthropicModel({ ...access, ...options });
    },
  },
} as const satisfies ProviderKind;

function headersOf({ apiKey = "" }: ProviderAccess): Record<string, string> {
  return { "x-api-key": apiKey, "anthropic-version": "2023-06-01" };
}

/** https://docs.claude.com/en/api/models-list */
async function listModels(access: ProviderAccess, signal: AbortSignal): Promise<string[]> {
  const url = httpUrl(access.baseUrl, "/v1/models?limit=1000");
  const answer = await requestJson({ provider: "anthropic", url, headers: headersOf(access), signal });
  const { data } = isObject(answer) ? answer : {};
  if (!Array.isArray(data))
    throw unreadableAnswer("anthropic", "the list of models has another form than documented");
  return data.filter(isObject).map(({ id }) => String(id));
}
