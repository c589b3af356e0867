import type { TextToSpeech } from "@parley/conversation";
import { createDeadlineFetch } from "../http/deadline-fetch.ts";
import { RequestSpeechStream } from "../http/request-speech-stream.ts";

export interface OpenAiTextToSpeechOptions {
  /** URL without `/audio/speech`, e.g. `https://api.openai.com/v1`. */
  baseUrl: string;
  /** Omitted for servers without authentication. */
  apiKey?: string | undefined;
  model?: string | undefined;
  connectTimeoutMs?: number;
  /** From the request to the first byte of a clause's audio. */
  firstByteTimeoutMs?: number;
  betweenChunksTimeoutMs?: number;
}

/** Sample rate of OpenAI's `pcm`. */
const PCM_RATE_HZ = 24_000;

/** A `TextToSpeech` that owns connections. */
export interface OpenAiTextToSpeech extends TextToSpeech {
  /** Aborts requests under way and closes the pooled connections. Idempotent. */
  close(): Promise<void>;
}

/**
 * Voice on any server with OpenAI's `/audio/speech`
 * (https://platform.openai.com/docs/api-reference/audio/createSpeech): a request per clause, with the next one sent
 * while the current one is heard. Requests `pcm` (24 kHz); WAV answers are accepted too.
 */
export function createOpenAiTextToSpeech(options: OpenAiTextToSpeechOptions): OpenAiTextToSpeech {
  const model = options.model ?? "gpt-4o-mini-tts";
  const name = `openai/${model}`;
  const http = createDeadlineFetch({
    provider: name,
    connectTimeoutMs: options.connectTimeoutMs ?? 3_000,
    firstByteTimeoutMs: options.firstByteTimeoutMs ?? 8_000,
    betweenChunksTimeoutMs: options.betweenChunksTimeoutMs ?? 5_000,
  });
  return {
    name,
    // A request per clause, and models that start slowly.
    audioTimeoutMs: 2_500,
    open: (reply) =>
      new RequestSpeechStream({
        provider: name,
        fetch: http.fetch,
        toRequest: (text) => ({
          url: `${options.baseUrl}/audio/speech`,
          headers: options.apiKey === undefined ? {} : { authorization: `Bearer ${options.apiKey}` },
          body: { model, input: text, voice: reply.voice, response_format: "pcm", speed: reply.speed },
        }),
        pcmRateHz: PCM_RATE_HZ,
        reply,
      }),
    close: async () => await http.close(),
  };
}
