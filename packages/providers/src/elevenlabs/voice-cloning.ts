import { ProviderError } from "@parley/conversation";
import { isObject } from "../http/is-object.ts";
import { httpUrl, requestJson, unreadableAnswer } from "../http/request-json.ts";
import { cloneNameOf, sampleIdOf } from "../registry/clone-names.ts";
import type { ProviderAccess, VoiceCloning } from "../registry/provider-kind.ts";
import { listElevenLabsVoices } from "./voices.ts";

const PROVIDER = "elevenlabs";

const headersOf = ({ apiKey }: ProviderAccess): Record<string, string> =>
  apiKey === undefined ? {} : { "xi-api-key": apiKey };

/**
 * Instant voice cloning (https://elevenlabs.io/docs/api-reference/voices/ivc/create and
 * https://elevenlabs.io/docs/api-reference/voices/delete).
 */
export const elevenLabsCloning: VoiceCloning = {
  cloneVoice: async (access, sample, signal) => {
    const existing = (await listElevenLabsVoices(access, signal)).find(
      ({ displayName }) => sampleIdOf(displayName) === sample.id,
    );
    if (existing !== undefined) return existing.name;
    const body = new FormData();
    body.append("name", cloneNameOf(sample));
    body.append("files", new Blob([Buffer.from(sample.wav)], { type: "audio/wav" }), "sample.wav");
    body.append("labels", JSON.stringify({ language: sample.language }));
    const url = httpUrl(access.baseUrl, "/v1/voices/add");
    const request = {
      provider: PROVIDER,
      url,
      method: "POST" as const,
      headers: headersOf(access),
      body,
      signal,
    };
    const answer = await requestJson(request);
    if (!isObject(answer) || typeof answer["voice_id"] !== "string")
      throw unreadableAnswer(
        PROVIDER,
        "the answer to the creation of a voice has another form than documented",
      );
    if (answer["requires_verification"] === true) throw unverified();
    return answer["voice_id"];
  },
  deleteVoice: async (access, name, signal) => {
    const url = httpUrl(access.baseUrl, `/v1/voices/${encodeURIComponent(name)}`);
    try {
      await requestJson({ provider: PROVIDER, url, method: "DELETE", headers: headersOf(access), signal });
    } catch (error) {
      // The vendor answers 400 (`voice_does_not_exist`) for voices that are gone.
      if (!(error instanceof ProviderError) || ![400, 404].includes(error.status ?? 0)) throw error;
    }
  },
};

function unverified(): ProviderError {
  const message = "the account must verify cloned voices before they can be used (elevenlabs.io)";
  return new ProviderError({ provider: PROVIDER, kind: "status", message, isRetryable: false });
}
