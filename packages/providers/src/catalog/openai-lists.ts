import { ProviderError } from "@parley/conversation";
import { isObject } from "../http/is-object.ts";
import { requestJson, type VendorAccess } from "./vendor.ts";

/** Voices of OpenAI (https://platform.openai.com/docs/guides/text-to-speech). */
export const OPENAI_VOICES: readonly string[] = [
  "alloy",
  "ash",
  "ballad",
  "cedar",
  "coral",
  "echo",
  "fable",
  "marin",
  "nova",
  "onyx",
  "sage",
  "shimmer",
  "verse",
];

/** Lists the models of a server (https://platform.openai.com/docs/api-reference/models/list). */
export async function listOpenAiModels(access: VendorAccess, signal: AbortSignal): Promise<string[]> {
  const answer = await request(access, "/models", signal);
  const { data } = isObject(answer) ? answer : {};
  if (!Array.isArray(data)) throw unreadable("models");
  return namesIn(data, "models");
}

/** Lists the voices of a server with OpenAI's audio API that lists them, as Kokoro-FastAPI and others do. */
export async function listOpenAiVoices(access: VendorAccess, signal: AbortSignal): Promise<string[]> {
  const answer = await request(access, "/audio/voices", signal);
  const { voices } = isObject(answer) ? answer : {};
  if (!Array.isArray(voices)) throw unreadable("voices");
  return namesIn(voices, "voices");
}

async function request({ baseUrl, apiKey }: VendorAccess, path: string, signal: AbortSignal) {
  const headers = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  return await requestJson("openai", new URL(`${baseUrl.replace(/\/+$/, "")}${path}`), headers, signal);
}

/** Names are texts, or the `id` or `name` of objects. */
function namesIn(items: readonly unknown[], what: string): string[] {
  const names = items.map((item) => (isObject(item) ? (item["id"] ?? item["name"]) : item));
  if (names.some((name) => typeof name !== "string")) throw unreadable(what);
  return names.map(String);
}

function unreadable(what: string): ProviderError {
  const message = `the list of ${what} has another form than documented`;
  return new ProviderError({ provider: "openai", kind: "connection", message, isRetryable: true });
}
