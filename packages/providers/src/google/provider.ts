import { isObject } from "../http/is-object.ts";
import { httpUrl, requestJson, unreadableAnswer } from "../http/request-json.ts";
import type { ProviderAccess, ProviderKind } from "../registry/provider-kind.ts";

export const google = {
  displayName: "Google Gemini",
  variables: {
    GEMINI_API_KEY: { description: "API key of Google's Gemini API. Sufficient alone to use Gemini." },
    GEMINI_BASE_URL: { description: "URL of the Gemini API, if it is not the public one." },
  },
  apiKeyVariables: ["GEMINI_API_KEY"],
  baseUrlVariable: "GEMINI_BASE_URL",
  defaultBaseUrl: "https://generativelanguage.googleapis.com",
  needsKey: "always",
  checkKey: async (access, signal) => void (await listModels(access, signal)),
  languageModel: {
    // Does not reason unless it is asked to: a caller waits for the first word.
    defaultModel: "gemini-2.5-flash-lite",
    listModels,
    maxTemperature: () => 2,
    canReason: (model) => !/^gemini-(1|2\.0)/.test(model),
    callSettings: [
      "maxOutputTokens",
      "topP",
      "topK",
      "frequencyPenalty",
      "presencePenalty",
      "seed",
      "stopSequences",
    ],
    probe: (access, model) => ({
      url: `${access.baseUrl}/v1beta/models/${encodeURIComponent(model)}:generateContent`,
      headers: headersOf(access),
      body: {
        contents: [{ role: "user", parts: [{ text: "Hi" }] }],
        generationConfig: { maxOutputTokens: 1 },
      },
    }),
    load: async () => {
      const { createGoogleModel } = await import("./google.ts");
      return (access, options) => createGoogleModel({ ...access, ...options });
    },
  },
} as const satisfies ProviderKind;

function headersOf({ apiKey = "" }: ProviderAccess): Record<string, string> {
  return { "x-goog-api-key": apiKey };
}

/** The models that write text (https://ai.google.dev/api/models). */
async function listModels(access: ProviderAccess, signal: AbortSignal): Promise<string[]> {
  const url = httpUrl(access.baseUrl, "/v1beta/models?pageSize=1000");
  const answer = await requestJson({ provider: "google", url, headers: headersOf(access), signal });
  const { models } = isObject(answer) ? answer : {};
  if (!Array.isArray(models))
    throw unreadableAnswer("google", "the list of models has another form than documented");
  return models.filter(isObject).flatMap(({ name, supportedGenerationMethods: methods }) => {
    const canWrite = !Array.isArray(methods) || methods.includes("generateContent");
    return typeof name === "string" && canWrite ? [name.replace(/^models\//, "")] : [];
  });
}
