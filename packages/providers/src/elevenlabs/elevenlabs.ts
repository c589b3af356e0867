import type { TextToSpeech, TextToSpeechOptions } from "@parley/conversation";
import { webSocketUrl } from "../http/request-json.ts";
import { ConnectionPool, type ContextProtocol } from "../contexts/connection-pool.ts";
import { ContextSpeechStream, type ReplyProtocol } from "../contexts/context-speech-stream.ts";
import { ClauseTracker } from "./clause-tracker.ts";

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

const DEFAULT_TEMPERATURE = 0.7;

const PROTOCOL: Omit<ContextProtocol, "headers"> = {
  contextOf: ({ contextId }) => (typeof contextId === "string" ? contextId : undefined),
  isLast: ({ isFinal }) => isFinal === true,
  // The vendor allows 5 contexts per connection, including closed ones that are still flushing.
  maxDrainingContexts: 4,
  // Shorter than the `inactivity_timeout` of the URL.
  idleTimeoutMs: 120_000,
};

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
    protocol: { ...PROTOCOL, headers: { "xi-api-key": options.apiKey ?? "" } },
    connectTimeoutMs: options.connectTimeoutMs ?? 5_000,
    silenceTimeoutMs: options.silenceTimeoutMs ?? 10_000,
  });
  return {
    name,
    open: (reply) =>
      new ContextSpeechStream({
        provider: name,
        url: contextUrl(options.baseUrl, model, reply),
        pool,
        protocol: speakReply(reply),
        isLast: PROTOCOL.isLast,
        audioTimeoutMs: options.audioTimeoutMs ?? 10_000,
        reply,
      }),
    close: () => pool.close(),
  };
}

function speakReply(reply: TextToSpeechOptions): ReplyProtocol {
  return {
    open: () => [{ text: " ", voice_settings: toVoiceSettings(reply) }],
    speak: (text) => [{ text: `${text.trim()} `, flush: true }],
    end: () => ({ close_context: true }),
    cancel: (hasEnded) => (hasEnded ? undefined : { close_context: true }),
    tracker: new ClauseTracker(reply.sampleRateHz),
  };
}

/**
 * Stability is the opposite of variation: 0.5 is the vendor's default, as is a temperature of 0.7
 * (https://elevenlabs.io/docs/api-reference/voices/settings/get).
 */
function toVoiceSettings({ speed, temperature }: TextToSpeechOptions): Record<string, number> {
  if (temperature === undefined || temperature === DEFAULT_TEMPERATURE) return { speed };
  const isCalmer = temperature < DEFAULT_TEMPERATURE;
  const stability = isCalmer
    ? 1 - (0.5 * temperature) / DEFAULT_TEMPERATURE
    : (0.5 * (1 - temperature)) / (1 - DEFAULT_TEMPERATURE);
  return { speed, stability };
}

function contextUrl(baseUrl: string, model: string, reply: TextToSpeechOptions): string {
  const url = webSocketUrl(
    baseUrl,
    `/v1/text-to-speech/${encodeURIComponent(reply.voice)}/multi-stream-input`,
  );
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
