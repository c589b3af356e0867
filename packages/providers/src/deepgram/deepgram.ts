import type { SpeechToText, SpeechToTextOptions, SpeechToTextStream } from "@parley/conversation";
import { webSocketUrl } from "../http/request-json.ts";
import { DeepgramStream } from "./deepgram-stream.ts";
import { toDeepgramLanguage } from "./languages.ts";

export interface DeepgramOptions {
  apiKey?: string | undefined;
  /** `https:` or `wss:` address. */
  baseUrl: string;
  model?: string;
  connectTimeoutMs?: number;
  /** Silence after which a connection is lost, answers to pings included. */
  silenceTimeoutMs?: number;
}

/**
 * Deepgram's streaming recognizer (https://developers.deepgram.com/reference/speech-to-text/listen-streaming) with one
 * WebSocket per call. Its own endpointing is off, because the turn policy decides where a turn ends.
 */
export function createDeepgramSpeechToText(options: DeepgramOptions): SpeechToText {
  const model = options.model ?? "nova-3";
  const name = `deepgram/${model}`;
  return {
    name,
    open: (call: SpeechToTextOptions): SpeechToTextStream =>
      new DeepgramStream({
        provider: name,
        url: listenUrl(options.baseUrl, model, call),
        apiKey: options.apiKey ?? "",
        sampleRateHz: call.sampleRateHz,
        connectTimeoutMs: options.connectTimeoutMs ?? 5_000,
        silenceTimeoutMs: options.silenceTimeoutMs ?? 8_000,
        onEvent: call.onEvent,
        now: performance.now.bind(performance),
      }),
  };
}

function listenUrl(baseUrl: string, model: string, call: SpeechToTextOptions): string {
  const url = webSocketUrl(baseUrl, "/v1/listen");
  url.search = new URLSearchParams({
    model,
    language: toDeepgramLanguage(call.language),
    encoding: "linear16",
    sample_rate: String(call.sampleRateHz),
    channels: "1",
    interim_results: "true",
    punctuate: "true",
    endpointing: "false",
  }).toString();
  for (const term of call.keyterms) url.searchParams.append("keyterm", term);
  return url.href;
}
