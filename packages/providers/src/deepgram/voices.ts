import { isObject } from "../http/is-object.ts";
import { httpUrl, requestJson, unreadableAnswer } from "../http/request-json.ts";
import type { ProviderAccess, VendorVoice } from "../registry/provider-kind.ts";

/** Lists the Aura voices (https://developers.deepgram.com/reference/manage/models/list). */
export async function listDeepgramVoices(
  { baseUrl, apiKey = "" }: ProviderAccess,
  signal: AbortSignal,
): Promise<VendorVoice[]> {
  const headers = { authorization: `Token ${apiKey}` };
  const answer = await requestJson({
    provider: "deepgram",
    url: httpUrl(baseUrl, "/v1/models"),
    headers,
    signal,
  });
  const { tts } = isObject(answer) ? answer : {};
  if (!Array.isArray(tts))
    throw unreadableAnswer("deepgram", "the list of voices has another form than documented");
  return tts.filter(isObject).flatMap(readVoice);
}

function readVoice({
  name,
  canonical_name: id,
  languages,
  metadata,
}: Record<string, unknown>): VendorVoice[] {
  // Others are spoken at another endpoint.
  if (typeof id !== "string" || !id.startsWith("aura")) return [];
  const spoken = Array.isArray(languages) ? languages.map(String) : [];
  const { display_name: title, tags } = isObject(metadata) ? metadata : {};
  const marks = Array.isArray(tags) ? tags : [];
  const displayName = typeof title === "string" ? title : typeof name === "string" ? name : id;
  return [
    {
      name: id,
      displayName: displayName.charAt(0).toUpperCase() + displayName.slice(1),
      language: spoken.find((tag) => tag.includes("-")) ?? spoken[0],
      languages: [...new Set(spoken.map((tag) => tag.split("-")[0] ?? tag))],
      gender: marks.includes("feminine") ? "female" : marks.includes("masculine") ? "male" : null,
      category: "standard",
    },
  ];
}
