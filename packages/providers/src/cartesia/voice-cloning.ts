import { ProviderError } from "@parley/conversation";
import { isObject } from "../http/is-object.ts";
import { unreadableAnswer } from "../http/request-json.ts";
import { cloneNameOf, sampleIdOf } from "../registry/clone-names.ts";
import type { VoiceCloning } from "../registry/provider-kind.ts";
import { listCartesiaVoices, requestCartesia } from "./voices.ts";

/** https://docs.cartesia.ai/api-reference/voices/clone */
export const cartesiaCloning: VoiceCloning = {
  cloneVoice: async (access, sample, signal) => {
    const own = await listCartesiaVoices(access, signal, { is_owner: "true" });
    const existing = own.find(({ displayName }) => sampleIdOf(displayName) === sample.id);
    if (existing !== undefined) return existing.name;
    const body = new FormData();
    body.append("clip", new Blob([Buffer.from(sample.wav)], { type: "audio/wav" }), "sample.wav");
    body.append("name", cloneNameOf(sample));
    body.append("language", sample.language.split("-")[0] ?? sample.language);
    const answer = await requestCartesia(access, "/voices/clone", { method: "POST", body, signal });
    if (isObject(answer) && typeof answer["id"] === "string") return answer["id"];
    throw unreadableAnswer(
      "cartesia",
      "the answer to the creation of a voice has another form than documented",
    );
  },
  deleteVoice: async (access, name, signal) => {
    try {
      await requestCartesia(access, `/voices/${encodeURIComponent(name)}`, { method: "DELETE", signal });
    } catch (error) {
      if (!(error instanceof ProviderError) || error.status !== 404) throw error;
    }
  },
};
