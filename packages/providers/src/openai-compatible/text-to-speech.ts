import type { TextToSpeech } from "@parley/conversation";
import { createDeadlineFetch } from "../http/deadline-fetch.ts";
import { OpenAiSpeechStream } from "./speech-stream.ts";

export interface OpenAiTextToSpeechOptions {
  /** Up to and without `/audio/speech`, e.g. `https://api.openai.com/v1`. */
  baseUrl: string;
  /** Left out for servers that ask for none. */
  apiKey?: string | undefined;
  model?: string | undefined;
  connectTimeoutMs?: number;
  /** From the request to the first byte of a clause's audio. */
  firstByteTimeoutMs?: number;
  betweenChunksTimeoutMs?: number;
}

/** A TextToSpeech that owns connections. */
export interface OpenAiTextToSpeech extends TextToSpeech {
  /** Aborts what is under way and closes the kept connections. Idempotent. */
  close(): Promise<void>;
}

/**
 * Any server that speaks OpenAI's `/audio/speech` (https://platform.openai.com/docs/api-reference/audio/createSpeech):
 * a request per clause, the next one made while the one before it is heard. Audio is asked for as `pcm` (24 kHz); a
 * server that answers with WAV instead is understood too.
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
    // A request per clause, and models that take their time to begin.
    firstAudioTimeoutMs: 2_500,
    open: (reply) =>
      new OpenAiSpeechStream({
        provider: name,
        url: `${options.baseUrl}/audio/speech`,
        apiKey: options.apiKey,
        model,
        fetch: http.fetch,
        reply,
      }),
    close: async () => await http.close(),
  };
}
