import type { IncomingMessage, ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { isObject } from "../http/is-object.ts";
import { parseJsonObject } from "../http/provider-socket.ts";
import type { ScriptedConnection } from "./scripted-connection.ts";
import type { ScriptedFault } from "./scripted-fault.ts";
import { ScriptedReply } from "./scripted-reply.ts";
import { createTone, MS_PER_CHARACTER } from "./scripted-tone.ts";
import { ScriptedHost, monotonicMs, type ScriptedServer } from "./scripted-server.ts";

export interface ScriptedDeepgramOptions {
  /** If set, other keys are refused with 401. */
  apiKey?: string;
  /** Text of an utterance, by connection, index, and the terms that the connection expects. Default: empty. */
  utterance?: (connection: number, index: number, keyterms: readonly string[]) => string;
  /** From `Finalize` to the answer. */
  latencyMs?: number;
  /** Audio with speech per interim result; default: no interim results. */
  interimEveryMs?: number;
  /** Speed of sending speech relative to its length; default: as fast as possible. */
  realTimeFactor?: number;
  /** Fault of the nth WebSocket, or request for speech; `after` counts results, or audio chunks. */
  fault?: (connection: number) => ScriptedFault | undefined;
}

/** Peak above which audio counts as speech; comfort noise and silence are far below. */
const SPEECH_PEAK = 500;

/**
 * A server that speaks Deepgram's streaming `/v1/listen` and `/v1/speak`, and lists two voices. It recognizes nothing: `Finalize` is answered with the next
 * scripted utterance if audio above a threshold arrived since the last one, otherwise with empty text.
 */
export async function startScriptedDeepgram(options: ScriptedDeepgramOptions): Promise<ScriptedServer> {
  let speeches = 0;
  const host: ScriptedHost = new ScriptedHost((request, response) => {
    if (request.method === "GET") return answerAboutVoices(options, request, response);
    const reply = new ScriptedReply(host, request, response, options.fault?.(speeches++));
    speak(host, options, reply).catch(() => response.destroy());
  });
  host.onWebSocket(
    (request) => (isRightKey(options, request) ? undefined : 401),
    options.fault,
    (connection, request) => {
      const query = new URL(request.url ?? "/", "http://scripted").searchParams;
      const listener = new ScriptedListener(host, options, connection, query);
      connection.socket.on("message", (data, isBinary) => {
        if (!Buffer.isBuffer(data)) return;
        if (isBinary) listener.hear(data);
        else listener.obey(String(parseJsonObject(data.toString())?.["type"]));
      });
    },
  );
  return await host.start();
}

const VOICES = [
  {
    name: "thalia",
    canonical_name: "aura-2-thalia-en",
    languages: ["en", "en-US"],
    metadata: { tags: ["feminine"] },
  },
  {
    name: "julius",
    canonical_name: "aura-2-julius-de",
    languages: ["de", "de-DE"],
    metadata: { tags: ["masculine"] },
  },
];
/** Length of an audio chunk. */
const CHUNK_MS = 240;

function isRightKey({ apiKey }: ScriptedDeepgramOptions, { headers }: IncomingMessage): boolean {
  return apiKey === undefined || headers.authorization === `Token ${apiKey}`;
}

/** `GET /v1/models` and `GET /v1/auth/token`. */
function answerAboutVoices(
  options: ScriptedDeepgramOptions,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  response.setHeader("content-type", "application/json");
  if (!isRightKey(options, request)) return void response.writeHead(401).end("{}");
  if (request.url === "/v1/auth/token") return void response.end("{}");
  if (request.url !== "/v1/models") return void response.writeHead(404).end("{}");
  response.end(JSON.stringify({ stt: [], tts: VOICES }));
}

async function speak(
  host: ScriptedHost,
  options: ScriptedDeepgramOptions,
  reply: ScriptedReply,
): Promise<void> {
  const body: unknown = await json(reply.request);
  if (reply.refuses(options.apiKey, reply.request.headers.authorization?.replace(/^Token /, ""))) return;
  const { pathname, searchParams } = new URL(reply.request.url ?? "/", "http://scripted");
  const text = isObject(body) ? body["text"] : undefined;
  const isRaw = searchParams.get("encoding") === "linear16" && searchParams.get("container") === "none";
  if (pathname !== "/v1/speak" || typeof text !== "string" || !isRaw || !searchParams.has("model"))
    return reply.refuse(400);
  const exchange = host.receive(text);
  const durationMs = text.length * MS_PER_CHARACTER;
  for (let atMs = 0; atMs < durationMs; atMs += CHUNK_MS) {
    const tone = createTone(Math.min(CHUNK_MS, durationMs - atMs), Number(searchParams.get("sample_rate")));
    const isSent = await reply.send(Buffer.from(tone, "base64"), {
      delayMs: atMs === 0 ? (options.latencyMs ?? 0) : CHUNK_MS / (options.realTimeFactor ?? Infinity),
      contentType: "audio/l16",
      // The answer of a proxy whose server is down.
      nonsense: { chunk: "<html>The page is not available.</html>", contentType: "text/html" },
      exchange,
    });
    if (!isSent) return;
  }
  reply.end();
}

class ScriptedListener {
  readonly #host: ScriptedHost;
  readonly #options: ScriptedDeepgramOptions;
  readonly #connection: ScriptedConnection;
  readonly #bytesPerMs: number;
  readonly #keyterms: readonly string[];
  #utterances = 0;
  #heardMs = 0;
  #speechStartMs: number | undefined;
  #interimAtMs = 0;

  constructor(
    host: ScriptedHost,
    options: ScriptedDeepgramOptions,
    connection: ScriptedConnection,
    query: URLSearchParams,
  ) {
    this.#host = host;
    this.#options = options;
    this.#connection = connection;
    this.#bytesPerMs = (Number(query.get("sample_rate")) * 2) / 1000;
    this.#keyterms = query.getAll("keyterm");
  }

  hear(pcm: Buffer): void {
    const startMs = this.#heardMs;
    this.#heardMs += pcm.length / this.#bytesPerMs;
    if (this.#speechStartMs === undefined) {
      const offset = speechOffset(pcm);
      if (offset === undefined) return;
      this.#speechStartMs = startMs + offset / this.#bytesPerMs;
      this.#interimAtMs = this.#speechStartMs + (this.#options.interimEveryMs ?? Number.POSITIVE_INFINITY);
    }
    if (this.#heardMs < this.#interimAtMs) return;
    this.#interimAtMs += this.#options.interimEveryMs ?? Number.POSITIVE_INFINITY;
    const words = this.#nextUtterance().split(" ");
    this.#send(
      words.slice(0, Math.ceil(words.length / 2)).join(" "),
      false,
      this.#speechStartMs,
      this.#heardMs,
    );
  }

  obey(type: string): void {
    if (type === "Finalize") this.#finalize().catch(() => this.#connection.socket.terminate());
    if (type === "CloseStream") this.#connection.socket.close(1000);
  }

  async #finalize(): Promise<void> {
    const startMs = this.#speechStartMs;
    const endMs = this.#heardMs;
    const text = startMs === undefined ? "" : this.#nextUtterance();
    const exchange = this.#host.receive(text);
    if (startMs !== undefined) this.#utterances++;
    this.#speechStartMs = undefined;
    if (!(await this.#host.wait(this.#options.latencyMs ?? 0))) return;
    this.#send(text, true, startMs ?? endMs, endMs);
    exchange.firstByteAtMs = monotonicMs();
  }

  #nextUtterance(): string {
    return this.#options.utterance?.(this.#connection.index, this.#utterances, this.#keyterms) ?? "";
  }

  #send(transcript: string, isFinal: boolean, startMs: number, endMs: number): void {
    const startS = startMs / 1000;
    const durationS = (endMs - startMs) / 1000;
    const spoken = transcript === "" ? [] : transcript.split(" ");
    const perWordS = durationS / Math.max(1, spoken.length);
    const words = spoken.map((word, index) => ({
      word: word.toLowerCase().replaceAll(/[^\w']/g, ""),
      punctuated_word: word,
      start: startS + index * perWordS,
      end: startS + (index + 1) * perWordS,
      confidence: 0.99,
    }));
    this.#connection.send(
      JSON.stringify({
        type: "Results",
        channel_index: [0, 1],
        start: startS,
        duration: durationS,
        is_final: isFinal,
        speech_final: false,
        from_finalize: isFinal,
        channel: { alternatives: [{ transcript, confidence: 0.99, words }] },
      }),
    );
  }
}

/** Offset of the first speech; every eighth sample is enough to tell it from silence. */
function speechOffset(pcm: Buffer): number | undefined {
  for (let offset = 0; offset + 1 < pcm.length; offset += 16) {
    if (Math.abs(pcm.readInt16LE(offset)) > SPEECH_PEAK) return offset;
  }
  return undefined;
}
