import type { TextToSpeech, TextToSpeechOptions } from "@parley/conversation";
import { ConnectionPool, type ContextProtocol } from "../contexts/connection-pool.ts";
import { ContextSpeechStream, type ReplyProtocol } from "../contexts/context-speech-stream.ts";
import { webSocketUrl } from "../http/request-json.ts";
import { ClauseMarks } from "./clause-marks.ts";
import { headersOf } from "./voices.ts";

export interface CartesiaOptions {
  apiKey?: string | undefined;
  /** `https:` or `wss:` address. */
  baseUrl: string;
  model?: string;
  connectTimeoutMs?: number;
  /** Maximum wait for an audio chunk of a clause. */
  audioTimeoutMs?: number;
  /** Silence after which a connection is lost, answers to pings included. */
  silenceTimeoutMs?: number;
}

/** A `TextToSpeech` that owns connections. */
export interface CartesiaTextToSpeech extends TextToSpeech {
  /** Closes the pooled connections. Idempotent. */
  close(): void;
}

const PROTOCOL: Omit<ContextProtocol, "headers"> = {
  contextOf: ({ context_id: id }) => (typeof id === "string" ? id : undefined),
  isLast: ({ type }) => type === "done" || type === "error",
  maxDrainingContexts: 20,
  // The vendor closes after five minutes.
  idleTimeoutMs: 240_000,
};

/**
 * Cartesia's WebSocket (https://docs.cartesia.ai/api-reference/tts/websocket): one context per reply, and one connection
 * per concurrent reply, which is reused.
 */
export function createCartesiaTextToSpeech(options: CartesiaOptions): CartesiaTextToSpeech {
  const model = options.model ?? "sonic-3";
  const name = `cartesia/${model}`;
  const pool = new ConnectionPool({
    provider: name,
    protocol: { ...PROTOCOL, headers: headersOf(options) },
    connectTimeoutMs: options.connectTimeoutMs ?? 5_000,
    silenceTimeoutMs: options.silenceTimeoutMs ?? 10_000,
  });
  const url = webSocketUrl(options.baseUrl, "/tts/websocket").href;
  return {
    name,
    open: (reply) =>
      new ContextSpeechStream({
        provider: name,
        url,
        pool,
        protocol: speakReply(name, model, reply),
        isLast: PROTOCOL.isLast,
        audioTimeoutMs: options.audioTimeoutMs ?? 10_000,
        reply,
      }),
    close: () => pool.close(),
  };
}

function speakReply(name: string, model: string, reply: TextToSpeechOptions): ReplyProtocol {
  const generation = {
    model_id: model,
    voice: { mode: "id", id: reply.voice },
    language: reply.language.split("-")[0],
    output_format: { container: "raw", encoding: "pcm_s16le", sample_rate: reply.sampleRateHz },
    ...(reply.speed !== 1 && { generation_config: { speed: reply.speed } }),
    // Clauses are sent whole, so the vendor need not wait for more text.
    max_buffer_delay_ms: 0,
  };
  return {
    open: () => [],
    speak: (text) => [
      { ...generation, transcript: `${text.trim()} `, continue: true },
      { ...generation, transcript: "", continue: true, flush: true },
    ],
    end: () => ({ ...generation, transcript: "", continue: false }),
    cancel: () => ({ cancel: true }),
    tracker: new ClauseMarks(name),
  };
}
