import type { TextToSpeech, TextToSpeechOptions } from "@parley/conversation";
import { webSocketUrl } from "../http/request-json.ts";
import { ConnectionPool } from "./connection-pool.ts";
import { ElevenLabsStream } from "./elevenlabs-stream.ts";

export interface ElevenLabsOptions {
  apiKey?: string | undefined;
  /** `https:` or `wss:` address; ElevenLabs has one per region. */
  baseUrl: string;
  model?: string;
  connectTimeoutMs?: number;
  /** Maximum wait for an audio chunk of a clause. */
  audioTimeoutMs?: number;
  /** Silence after which a connection is lost, answers to pings included. */
  silenceTimeoutMs?: number;
}

/** A `TextToSpeech` that owns connections. */
export interface ElevenLabsTextToSpeech extends TextToSpeech {
  /** Closes the pooled connections. Idempotent. */
  close(): void;
}

/**
 * ElevenLabs' multi-context WebSocket
 * (https://elevenlabs.io/docs/api-reference/text-to-speech/v-1-text-to-speech-voice-id-multi-stream-input): one context
 * per reply, and one connection per voice and concurrent reply, which is reused. Not for the model `eleven_v3`, which
 * has no such endpoint.
 */
export function createElevenLabsTextToSpeech(options: ElevenLabsOptions): ElevenLabsTextToSpeech {
  const model = options.model ?? "eleven_flash_v2_5";
  const name = `elevenlabs/${model}`;
  const pool = new ConnectionPool({
    provider: name,
    apiKey: options.apiKey ?? "",
    connectTimeoutMs: options.connectTimeoutMs ?? 5_000,
    silenceTimeoutMs: options.silenceTimeoutMs ?? 10_000,
  });
  return {
    name,
    open: (reply) =>
      new ElevenLabsStream({
        provider: name,
        url: contextUrl(options.baseUrl, model, reply),
        pool,
        audioTimeoutMs: options.audioTimeoutMs ?? 10_000,
        reply,
      }),
    close: () => pool.close(),
  };
}

function contextUrl(baseUrl: string, model: string, reply: TextToSpeechOptions): string {
  const url = webSocketUrl(baseUrl, `/v1/text-to-speech/${encodeURIComponent(reply.voice)}/multi-stream-input`);
  url.search = new URLSearchParams({
    model_id: model,
    output_format: `pcm_${reply.sampleRateHz}`,
    inactivity_timeout: "180",
    sync_alignment: "true",
    // Clauses are sent whole, so the vendor need not wait for more text to speak well.
    auto_mode: "true",
  }).toString();
  // Other models refuse the parameter.
  if (model.endsWith("_v2_5"))
    url.searchParams.set("language_code", reply.language.split("-")[0] ?? reply.language);
  return url.href;
}
