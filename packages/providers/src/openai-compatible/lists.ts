import { ProviderError } from "@parley/conversation";
import { isObject } from "../http/is-object.ts";
import { requestJson, unreadableAnswer } from "../http/request-json.ts";
import type { ProbeRequest, ProviderAccess } from "../registry/provider-kind.ts";

const PROVIDER = "openai";

/** Lists the models of a server (https://platform.openai.com/docs/api-reference/models/list). */
export async function listOpenAiModels(access: ProviderAccess, signal: AbortSignal): Promise<string[]> {
  const answer = await request(access, "/models", signal);
  const { data } = isObject(answer) ? answer : {};
  if (!Array.isArray(data)) throw unreadable("models");
  return namesIn(data, "models");
}

/** Rejects if the key is refused. A server that does not list its models is not asked for anything that costs money. */
export async function checkOpenAiKey(access: ProviderAccess, signal: AbortSignal): Promise<void> {
  await request(access, "/models", signal).catch((error: unknown) => {
    if (!(error instanceof ProviderError) || error.status !== 404) throw error;
  });
}

/** Lists the voices of a server with OpenAI's audio API that lists them, as Kokoro-FastAPI and others do. */
export async function listOpenAiVoices(access: ProviderAccess, signal: AbortSignal): Promise<string[]> {
  const answer = await request(access, "/audio/voices", signal);
  const { voices } = isObject(answer) ? answer : {};
  if (!Array.isArray(voices)) throw unreadable("voices");
  return namesIn(voices, "voices");
}

export function probeChatCompletions(access: ProviderAccess, model: string): ProbeRequest {
  return {
    url: `${access.baseUrl}/chat/completions`,
    headers: headersOf(access),
    body: { model, stream: true, max_tokens: 1, messages: [{ role: "user", content: "Hi" }] },
  };
}

async function request(access: ProviderAccess, path: string, signal: AbortSignal) {
  const url = new URL(`${access.baseUrl.replace(/\/+$/, "")}${path}`);
  return await requestJson({ provider: PROVIDER, url, headers: headersOf(access), signal });
}

function headersOf({ apiKey }: ProviderAccess): Record<string, string> {
  return apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
}

/** Names are texts, or the `id` or `name` of objects. */
function namesIn(items: readonly unknown[], what: string): string[] {
  const names = items.map((item) => (isObject(item) ? (item["id"] ?? item["name"]) : item));
  if (names.some((name) => typeof name !== "string")) throw unreadable(what);
  return names.map(String);
}

function unreadable(what: string): ProviderError {
  return unreadableAnswer(PROVIDER, `the list of ${what} has another form than documented`);
}
