import type { TextToSpeech } from "@parley/conversation";
import { createDeadlineFetch } from "../http/deadline-fetch.ts";
import { httpUrl } from "../http/request-json.ts";
import { RequestSpeechStream } from "../http/request-speech-stream.ts";

export interface DeepgramTextToSpeechOptions {
  apiKey?: string | undefined;
  baseUrl: string;
  connectTimeoutMs?: number;
  /** From the request to the first byte of a clause's audio. */
  firstByteTimeoutMs?: number;
  betweenChunksTimeoutMs?: number;
}

/**
 * Deepgram's Aura voices, each of which is a model, by streamed requests
 * (https://developers.deepgram.com/reference/text-to-speech/speak-request): one per clause. Its WebSocket marks the end of
 * a clause only after a `Flush`, of which it takes 20 a minute: fewer than the clauses of a busy call.
 */
export function createDeepgramTextToSpeech(
  options: DeepgramTextToSpeechOptions,
): TextToSpeech & { close(): Promise<void> } {
  const name = "deepgram/aura";
  const http = createDeadlineFetch({
    provider: name,
    connectTimeoutMs: options.connectTimeoutMs ?? 3_000,
    firstByteTimeoutMs: options.firstByteTimeoutMs ?? 8_000,
    betweenChunksTimeoutMs: options.betweenChunksTimeoutMs ?? 5_000,
  });
  return {
    name,
    open: (reply) => {
      const url = httpUrl(options.baseUrl, "/v1/speak");
      url.search = new URLSearchParams({
        model: reply.voice,
        encoding: "linear16",
        container: "none",
        sample_rate: String(reply.sampleRateHz),
      }).toString();
      const headers = { authorization: `Token ${options.apiKey ?? ""}` };
      return new RequestSpeechStream({
        provider: name,
        fetch: http.fetch,
        toRequest: (text) => ({ url: url.href, headers, body: { text } }),
        pcmRateHz: reply.sampleRateHz,
        reply,
      });
    },
    close: async () => await http.close(),
  };
}
