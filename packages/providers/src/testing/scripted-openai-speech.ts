import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { readWav, writeWav } from "@parley/audio";
import { parseJsonObject } from "../http/provider-socket.ts";
import { ScriptedHost, monotonicMs, type ScriptedFault, type ScriptedServer } from "./scripted-server.ts";

export interface ScriptedOpenAiSpeechOptions {
  /** Where given, other keys are refused with 401. */
  apiKey?: string;
  /** What the nth file with speech in it is taken to say. */
  utterance?: (index: number) => string;
  /** From the request to the first byte of the answer. */
  latencyMs?: number;
  /** Length of a chunk of audio; chunks are sent `chunkMs` / `realTimeFactor` apart, or at once without. */
  chunkMs?: number;
  realTimeFactor?: number;
  /** `wav`: answers with a WAV file of 22.05 kHz, as some servers do whatever they are asked for. */
  format?: "pcm" | "wav";
  /** Of the nth request; `after` counts chunks of audio. */
  fault?: (index: number) => ScriptedFault | undefined;
}

const msPerCharacter = 60;
/** Peak above which audio counts as speech. */
const speechPeak = 500;

/**
 * A server that speaks OpenAI's `/v1/audio/speech` and `/v1/audio/transcriptions`; its `url` is the base URL without
 * `/v1`. Text becomes a 300 Hz tone of 60 ms per character, speech the next scripted utterance.
 */
export async function startScriptedOpenAiSpeech(
  options: ScriptedOpenAiSpeechOptions = {},
): Promise<ScriptedServer> {
  let requests = 0;
  const host: ScriptedHost = new ScriptedHost((request, response) => {
    answer(new Exchange(host, options, requests++, request, response)).catch(() => response.destroy());
  });
  return await host.start();
}

class Exchange {
  readonly host: ScriptedHost;
  readonly options: ScriptedOpenAiSpeechOptions;
  readonly index: number;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;

  constructor(
    host: ScriptedHost,
    options: ScriptedOpenAiSpeechOptions,
    index: number,
    request: IncomingMessage,
    response: ServerResponse,
  ) {
    this.host = host;
    this.options = options;
    this.index = index;
    this.request = request;
    this.response = response;
  }

  get fault(): ScriptedFault | undefined {
    return this.options.fault?.(this.index);
  }

  refuse(status: number): void {
    this.response.writeHead(status, { "content-type": "application/json" });
    this.response.end(JSON.stringify({ error: { message: `scripted status ${status}` } }));
  }

  /** Whether the chunk at `position` may be sent; carries the fault out where not. */
  async mayStillSend(position: number, delayMs: number): Promise<boolean> {
    const { fault } = this;
    if (
      fault?.type === "stallConnect" ||
      (fault !== undefined && "after" in fault && position >= fault.after)
    ) {
      if (fault.type === "close") this.response.destroy();
      return false;
    }
    return (await this.host.wait(delayMs)) && !this.response.destroyed;
  }
}

async function answer(exchange: Exchange): Promise<void> {
  const { options, request, fault } = exchange;
  const body = await buffer(request);
  if (options.apiKey !== undefined && request.headers.authorization !== `Bearer ${options.apiKey}`)
    return exchange.refuse(401);
  if (fault?.type === "status") return exchange.refuse(fault.status);
  if (request.url === "/v1/audio/speech")
    return await speak(exchange, parseJsonObject(body.toString()) ?? {});
  if (request.url === "/v1/audio/transcriptions") return await transcribe(exchange, body);
  exchange.refuse(404);
}

async function speak(exchange: Exchange, order: Record<string, unknown>): Promise<void> {
  const { host, options, response } = exchange;
  const text = order["input"];
  if (typeof text !== "string" || typeof order["voice"] !== "string" || order["response_format"] !== "pcm")
    return exchange.refuse(400);
  const statistics = host.receive(text);
  const rateHz = options.format === "wav" ? 22_050 : 24_000;
  const pcm = Int16Array.from({ length: (text.length * msPerCharacter * rateHz) / 1000 }, (_, i) =>
    Math.round(8000 * Math.sin((2 * Math.PI * 300 * i) / rateHz)),
  );
  const bytes =
    options.format === "wav"
      ? unsized(writeWav({ sampleRateHz: rateHz, channels: 1, pcm }))
      : new Uint8Array(pcm.buffer);
  const chunkMs = options.chunkMs ?? 240;
  // An odd length: chunks of a stream end anywhere.
  const chunkBytes = ((chunkMs * rateHz) / 1000) * 2 + 1;
  for (let position = 0; position * chunkBytes < bytes.length; position++) {
    const betweenMs = options.realTimeFactor === undefined ? 0 : chunkMs / options.realTimeFactor;
    if (!(await exchange.mayStillSend(position, position === 0 ? (options.latencyMs ?? 0) : betweenMs)))
      return;
    if (position === 0) {
      response.writeHead(200, { "content-type": options.format === "wav" ? "audio/wav" : "audio/pcm" });
      statistics.firstByteAtMs = monotonicMs();
    }
    response.write(bytes.subarray(position * chunkBytes, (position + 1) * chunkBytes));
  }
  response.end();
}

/** As a server writes it that does not know yet how long the audio will be. */
function unsized(wav: Uint8Array): Uint8Array {
  const view = new DataView(wav.buffer);
  view.setUint32(4, 0xff_ff_ff_ff, true);
  view.setUint32(40, 0xff_ff_ff_ff, true);
  return wav;
}

async function transcribe(exchange: Exchange, body: Buffer): Promise<void> {
  const { host, options, index, request, response } = exchange;
  const form = await new Response(new Uint8Array(body), {
    headers: { "content-type": request.headers["content-type"] ?? "" },
  }).formData();
  const file = form.get("file");
  if (typeof file === "string" || file === null || form.get("model") === null) return exchange.refuse(400);
  const { pcm } = readWav(new Uint8Array(await file.arrayBuffer()));
  const hasSpeech = pcm.some((sample) => Math.abs(sample) > speechPeak);
  const text = hasSpeech ? (options.utterance?.(index) ?? "") : "";
  const statistics = host.receive(text);
  if (!(await exchange.mayStillSend(0, options.latencyMs ?? 0))) return;
  statistics.firstByteAtMs = monotonicMs();
  response.writeHead(200, { "content-type": "application/json" });
  const json = JSON.stringify({ text });
  response.write(json.slice(0, 5));
  if (await exchange.mayStillSend(1, 0)) response.end(json.slice(5));
}
