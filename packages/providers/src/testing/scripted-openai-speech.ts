import { buffer } from "node:stream/consumers";
import { readWav, writeWav } from "@parley/audio";
import { parseJsonObject } from "../http/provider-socket.ts";
import type { ScriptedFault } from "./scripted-fault.ts";
import { ScriptedReply } from "./scripted-reply.ts";
import { ScriptedHost, type ScriptedServer } from "./scripted-server.ts";

export interface ScriptedOpenAiSpeechOptions {
  /** If set, other keys are refused with 401. */
  apiKey?: string;
  /** Text of the nth file that contains speech. */
  utterance?: (index: number) => string;
  /** From the request to the first byte of the answer. */
  latencyMs?: number;
  /** Length of an audio chunk. Chunks are sent `chunkMs` / `realTimeFactor` apart, or at once without it. */
  chunkMs?: number;
  realTimeFactor?: number;
  /** `wav`: answers with a WAV file of 22.05 kHz, as some servers do for every request. */
  format?: "pcm" | "wav";
  /** Fault of the nth request; `after` counts audio chunks. */
  fault?: (index: number) => ScriptedFault | undefined;
}

const MS_PER_CHARACTER = 60;
/** Peak above which audio counts as speech. */
const SPEECH_PEAK = 500;

/**
 * A server that speaks OpenAI's `/v1/audio/speech` and `/v1/audio/transcriptions`; its `url` is the base URL without
 * `/v1`. Text becomes a 300 Hz tone of 60 ms per character, speech the next scripted utterance.
 */
export async function startScriptedOpenAiSpeech(
  options: ScriptedOpenAiSpeechOptions = {},
): Promise<ScriptedServer> {
  let requests = 0;
  const host: ScriptedHost = new ScriptedHost((request, response) => {
    const index = requests++;
    const reply = new ScriptedReply(host, request, response, options.fault?.(index));
    answer(host, options, index, reply).catch(() => response.destroy());
  });
  return await host.start();
}

async function answer(
  host: ScriptedHost,
  options: ScriptedOpenAiSpeechOptions,
  index: number,
  reply: ScriptedReply,
): Promise<void> {
  const { request } = reply;
  const body = await buffer(request);
  if (reply.refuses(options.apiKey)) return;
  if (request.url === "/v1/audio/speech")
    return await speak(host, options, reply, parseJsonObject(body.toString()) ?? {});
  if (request.url === "/v1/audio/transcriptions")
    return await transcribe(host, options, reply, { body, index });
  reply.refuse(404);
}

async function speak(
  host: ScriptedHost,
  options: ScriptedOpenAiSpeechOptions,
  reply: ScriptedReply,
  order: Record<string, unknown>,
): Promise<void> {
  const text = order["input"];
  if (typeof text !== "string" || typeof order["voice"] !== "string" || order["response_format"] !== "pcm")
    return reply.refuse(400);
  const exchange = host.receive(text);
  const rateHz = options.format === "wav" ? 22_050 : 24_000;
  const pcm = Int16Array.from({ length: (text.length * MS_PER_CHARACTER * rateHz) / 1000 }, (_, i) =>
    Math.round(8000 * Math.sin((2 * Math.PI * 300 * i) / rateHz)),
  );
  const bytes =
    options.format === "wav"
      ? unsized(writeWav({ sampleRateHz: rateHz, channels: 1, pcm }))
      : new Uint8Array(pcm.buffer);
  const chunkMs = options.chunkMs ?? 240;
  // An odd length: chunks of a stream can end anywhere.
  const chunkBytes = ((chunkMs * rateHz) / 1000) * 2 + 1;
  const betweenMs = options.realTimeFactor === undefined ? 0 : chunkMs / options.realTimeFactor;
  for (let start = 0; start < bytes.length; start += chunkBytes) {
    const isSent = await reply.send(bytes.subarray(start, start + chunkBytes), {
      delayMs: start === 0 ? (options.latencyMs ?? 0) : betweenMs,
      contentType: options.format === "wav" ? "audio/wav" : "audio/pcm",
      // The answer of a proxy whose server is down.
      nonsense: { chunk: "<html>The page is not available.</html>", contentType: "text/html" },
      exchange,
    });
    if (!isSent) return;
  }
  reply.end();
}

/** A WAV header from a server that does not know the length of the audio yet. */
function unsized(wav: Uint8Array): Uint8Array {
  const view = new DataView(wav.buffer);
  view.setUint32(4, 0xff_ff_ff_ff, true);
  view.setUint32(40, 0xff_ff_ff_ff, true);
  return wav;
}

async function transcribe(
  host: ScriptedHost,
  options: ScriptedOpenAiSpeechOptions,
  reply: ScriptedReply,
  { body, index }: { body: Buffer; index: number },
): Promise<void> {
  const form = await new Response(new Uint8Array(body), {
    headers: { "content-type": reply.request.headers["content-type"] ?? "" },
  }).formData();
  const file = form.get("file");
  if (typeof file === "string" || file === null || form.get("model") === null) return reply.refuse(400);
  const { pcm } = readWav(new Uint8Array(await file.arrayBuffer()));
  const hasSpeech = pcm.some((sample) => Math.abs(sample) > SPEECH_PEAK);
  const text = hasSpeech ? (options.utterance?.(index) ?? "") : "";
  const contentType = "application/json";
  const nonsense = { chunk: '"a text and ', contentType };
  const exchange = host.receive(text);
  const json = JSON.stringify({ text });
  for (const [position, chunk] of [json.slice(0, 5), json.slice(5)].entries()) {
    const delayMs = position === 0 ? (options.latencyMs ?? 0) : 0;
    if (!(await reply.send(chunk, { delayMs, contentType, nonsense, exchange }))) return;
  }
  reply.end();
}
