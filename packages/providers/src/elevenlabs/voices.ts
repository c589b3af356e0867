import { ProviderError } from "@parley/conversation";
import { isObject } from "../http/is-object.ts";
import { httpUrl, requestJson, unreadableAnswer } from "../http/request-json.ts";
import type { ProviderAccess, VendorVoice } from "../registry/provider-kind.ts";

const PROVIDER = "elevenlabs";
const PAGE_SIZE = 100;
/** Enough for 2,000 voices. */
const MAX_PAGES = 20;

const headersOf = ({ apiKey }: ProviderAccess): Record<string, string> =>
  apiKey === undefined ? {} : { "xi-api-key": apiKey };

/** Rejects if the account's key is refused. */
export async function checkElevenLabsKey(access: ProviderAccess, signal: AbortSignal): Promise<void> {
  const url = httpUrl(access.baseUrl, "/v2/voices?page_size=1");
  await requestJson({ provider: PROVIDER, url, headers: headersOf(access), signal });
}

/** Lists the voices of the account (https://elevenlabs.io/docs/api-reference/voices/search). */
export async function listElevenLabsVoices(
  access: ProviderAccess,
  signal: AbortSignal,
): Promise<VendorVoice[]> {
  const voices: VendorVoice[] = [];
  let token: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const url = httpUrl(access.baseUrl, "/v2/voices");
    url.searchParams.set("page_size", String(PAGE_SIZE));
    if (token !== undefined) url.searchParams.set("next_page_token", token);
    const answer = await requestJson({ provider: PROVIDER, url, headers: headersOf(access), signal });
    if (!isObject(answer) || !Array.isArray(answer["voices"]))
      throw unreadableAnswer(PROVIDER, "the list of voices has another form than documented");
    voices.push(...answer["voices"].filter(isObject).flatMap(readVoice));
    const next = answer["next_page_token"];
    if (answer["has_more"] !== true || typeof next !== "string") break;
    token = next;
  }
  return voices;
}

/**
 * Whether the account can use the voice, which need not be in its list
 * (https://elevenlabs.io/docs/api-reference/voices/get). Rejects with a `ProviderError` if the vendor does not say.
 */
export async function hasElevenLabsVoice(
  access: ProviderAccess,
  name: string,
  signal: AbortSignal,
): Promise<boolean> {
  const url = httpUrl(access.baseUrl, `/v1/voices/${encodeURIComponent(name)}`);
  try {
    await requestJson({ provider: PROVIDER, url, headers: headersOf(access), signal });
    return true;
  } catch (error) {
    // The vendor answers 400 (`voice_not_found`) or, for malformed ids, 404 or 422.
    if (error instanceof ProviderError && [400, 404, 422].includes(error.status ?? 0)) return false;
    throw error;
  }
}

function readVoice(voice: Record<string, unknown>): VendorVoice[] {
  const { voice_id: name, name: displayName, category, labels, verified_languages: verified } = voice;
  if (typeof name !== "string") return [];
  const { gender, language } = isObject(labels) ? labels : {};
  const [first] = Array.isArray(verified) ? verified.filter(isObject) : [];
  const spoken = first?.["locale"] ?? language ?? first?.["language"];
  return [
    {
      name,
      displayName: typeof displayName === "string" ? displayName : name,
      language: typeof spoken === "string" ? spoken : undefined,
      gender: gender === "female" || gender === "male" || gender === "neutral" ? gender : null,
      category: category === "cloned" || category === "professional" ? "cloned" : "standard",
    },
  ];
}
