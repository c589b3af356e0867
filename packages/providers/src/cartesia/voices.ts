import { ProviderError } from "@parley/conversation";
import { isObject } from "../http/is-object.ts";
import { httpUrl, type JsonRequest, requestJson, unreadableAnswer } from "../http/request-json.ts";
import type { ProviderAccess, VendorVoice } from "../registry/provider-kind.ts";

const PROVIDER = "cartesia";
/** Version of the API that this code speaks. */
const API_VERSION = "2025-04-16";
const PAGE_SIZE = 100;
/** Enough for 2,000 voices. */
const MAX_PAGES = 20;

const GENDERS: Readonly<Record<string, VendorVoice["gender"]>> = {
  feminine: "female",
  masculine: "male",
  gender_neutral: "neutral",
};

export function headersOf({ apiKey }: Pick<ProviderAccess, "apiKey">): Record<string, string> {
  return { "cartesia-version": API_VERSION, ...(apiKey !== undefined && { "x-api-key": apiKey }) };
}

/** Rejects if the account's key is refused. */
export async function checkCartesiaKey(access: ProviderAccess, signal: AbortSignal): Promise<void> {
  await requestCartesia(access, "/voices?limit=1", { signal });
}

/** Lists the voices of Cartesia and of the account (https://docs.cartesia.ai/api-reference/voices/list). */
export async function listCartesiaVoices(
  access: ProviderAccess,
  signal: AbortSignal,
  filter: Readonly<Record<string, string>> = {},
): Promise<VendorVoice[]> {
  const voices: VendorVoice[] = [];
  for (let page = 0; page < MAX_PAGES; page++) {
    const after = voices.at(-1)?.name;
    const query = new URLSearchParams({
      ...filter,
      limit: String(PAGE_SIZE),
      ...(after && { starting_after: after }),
    });
    const answer = await requestCartesia(access, `/voices?${query.toString()}`, { signal });
    const { data, has_more: hasMore } = isObject(answer) ? answer : {};
    if (!Array.isArray(data))
      throw unreadableAnswer(PROVIDER, "the list of voices has another form than documented");
    const read = data.filter(isObject).flatMap(readVoice);
    voices.push(...read);
    if (hasMore !== true || read.length === 0) break;
  }
  return voices;
}

/** Whether the account can use the voice (https://docs.cartesia.ai/api-reference/voices/get). */
export async function hasCartesiaVoice(
  access: ProviderAccess,
  name: string,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await requestCartesia(access, `/voices/${encodeURIComponent(name)}`, { signal });
    return true;
  } catch (error) {
    if (error instanceof ProviderError && [400, 404, 422].includes(error.status ?? 0)) return false;
    throw error;
  }
}

export async function requestCartesia(
  access: ProviderAccess,
  path: string,
  init: Pick<JsonRequest, "method" | "body" | "signal">,
): Promise<unknown> {
  const url = httpUrl(access.baseUrl, path);
  return await requestJson({ provider: PROVIDER, url, headers: headersOf(access), ...init });
}

function readVoice(voice: Record<string, unknown>): VendorVoice[] {
  const { id, name, language, gender, is_owner: isOwner } = voice;
  if (typeof id !== "string") return [];
  return [
    {
      name: id,
      displayName: typeof name === "string" ? name : id,
      language: typeof language === "string" ? language : undefined,
      gender: typeof gender === "string" ? (GENDERS[gender] ?? null) : null,
      category: isOwner === true ? "cloned" : "standard",
    },
  ];
}
