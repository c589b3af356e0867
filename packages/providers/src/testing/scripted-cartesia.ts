import type { IncomingMessage, ServerResponse } from "node:http";
import { parseJsonObject } from "../http/provider-socket.ts";
import { isObject } from "../http/is-object.ts";
import type { ScriptedConnection } from "./scripted-connection.ts";
import type { ScriptedFault } from "./scripted-fault.ts";
import { createTone, MS_PER_CHARACTER } from "./scripted-tone.ts";
import { ScriptedHost, monotonicMs, type ScriptedExchange, type ScriptedServer } from "./scripted-server.ts";

export interface ScriptedCartesiaOptions {
  /** If set, other keys are refused with 401. */
  apiKey?: string;
  /** From a flush to its first audio. */
  latencyMs?: number;
  /** Speed of sending relative to speech; default: as fast as possible. */
  realTimeFactor?: number;
  /** Length of an audio chunk. */
  chunkMs?: number;
  /** Voices of the account, in the vendor's form. Default: one with the id `katie`. */
  voices?: ScriptedCartesiaVoice[];
  /** Fault of the nth connection; `after` counts audio chunks. */
  fault?: (connection: number) => ScriptedFault | undefined;
}

/** A voice as `GET /voices` returns it. */
export interface ScriptedCartesiaVoice {
  id: string;
  name: string;
  language: string;
  gender?: string | null;
  is_owner?: boolean;
}

const KATIE: ScriptedCartesiaVoice = { id: "katie", name: "Katie", language: "en", gender: "feminine" };
const VOICES_PER_PAGE = 2;

/**
 * A server that speaks Cartesia's WebSocket and lists voices. Text becomes a 300 Hz tone of 60 ms per character; a flush
 * sends it, in chunks with its number, and `flush_done`.
 */
export async function startScriptedCartesia(options: ScriptedCartesiaOptions): Promise<ScriptedServer> {
  const voices = options.voices ?? [KATIE];
  const host = new ScriptedHost((request, response) =>
    answerAboutVoices({ ...options, voices }, request, response),
  );
  host.onWebSocket(
    ({ headers }) => {
      if (headers["cartesia-version"] === undefined) return 400;
      return options.apiKey === undefined || headers["x-api-key"] === options.apiKey ? undefined : 401;
    },
    options.fault,
    (connection) => {
      const speaker = new ScriptedSpeaker(host, options, connection);
      connection.socket.on("message", (data, isBinary) => {
        if (!isBinary && Buffer.isBuffer(data)) speaker.obey(parseJsonObject(data.toString()) ?? {});
      });
    },
  );
  return await host.start();
}

/** `GET /voices`, with two voices per page, `GET` and `DELETE /voices/{id}`, and `POST /voices/clone`. */
function answerAboutVoices(
  { apiKey, voices }: ScriptedCartesiaOptions & { voices: ScriptedCartesiaVoice[] },
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { url = "/", headers, method } = request;
  const send = (status: number, body: object): void =>
    void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  if (apiKey !== undefined && headers["x-api-key"] !== apiKey) return send(401, { error: "invalid API key" });
  const { pathname, searchParams } = new URL(url, "http://scripted");
  if (pathname === "/voices/clone" && method === "POST")
    return void addVoice(request, voices).then(
      (voice) => send(200, voice),
      () => send(422, { error: "unreadable form" }),
    );
  const [, id] = /^\/voices\/([^/]+)$/.exec(pathname) ?? [];
  if (id !== undefined) {
    const index = voices.findIndex((each) => each.id === decodeURIComponent(id));
    const voice = voices[index];
    if (voice === undefined) return send(404, { error: "voice not found" });
    if (method !== "DELETE") return send(200, voice);
    voices.splice(index, 1);
    return void response.writeHead(204).end();
  }
  if (pathname !== "/voices") return send(404, {});
  const after = searchParams.get("starting_after");
  const listed = voices.filter((voice) => searchParams.get("is_owner") !== "true" || voice.is_owner === true);
  const from = after === null ? 0 : listed.findIndex((voice) => voice.id === after) + 1;
  const data = listed.slice(from, from + VOICES_PER_PAGE);
  send(200, { data, has_more: from + VOICES_PER_PAGE < listed.length });
}

async function addVoice(
  request: IncomingMessage,
  voices: ScriptedCartesiaVoice[],
): Promise<ScriptedCartesiaVoice> {
  const body = Buffer.concat(await request.toArray());
  const type = request.headers["content-type"] ?? "";
  const form = await new Response(body, { headers: { "content-type": type } }).formData();
  const [name, language, clip] = [form.get("name"), form.get("language"), form.get("clip")];
  if (typeof name !== "string" || typeof language !== "string" || !(clip instanceof File))
    throw new Error("a part is missing");
  const wav = Buffer.from(await clip.arrayBuffer());
  if (wav.toString("latin1", 0, 4) !== "RIFF") throw new Error("no WAV file");
  const voice = { id: `clone${voices.length}x${wav.length}`, name, language, is_owner: true };
  voices.push(voice);
  return voice;
}

interface ScriptedContext {
  pendingText: string;
  flushes: number;
  isCanceled: boolean;
  /** The generations of a context run one after the other. */
  work: Promise<void>;
}

class ScriptedSpeaker {
  readonly #host: ScriptedHost;
  readonly #options: ScriptedCartesiaOptions;
  readonly #connection: ScriptedConnection;
  readonly #contexts = new Map<string, ScriptedContext>();

  constructor(host: ScriptedHost, options: ScriptedCartesiaOptions, connection: ScriptedConnection) {
    this.#host = host;
    this.#options = options;
    this.#connection = connection;
  }

  obey(message: Record<string, unknown>): void {
    const { context_id: id, transcript, cancel, flush, continue: goesOn, output_format: format } = message;
    if (typeof id !== "string") return;
    const context = this.#contexts.get(id) ?? newContext();
    this.#contexts.set(id, context);
    if (cancel === true) context.isCanceled = true;
    const isComplete = typeof message["model_id"] === "string" && isObject(message["voice"]);
    if (cancel !== true && (typeof transcript !== "string" || !isComplete))
      return this.#reply({
        type: "error",
        context_id: id,
        status_code: 400,
        title: "Invalid request",
        done: true,
      });
    if (typeof transcript === "string") context.pendingText += transcript;
    if (flush === true) {
      const text = context.pendingText;
      context.pendingText = "";
      const flushId = ++context.flushes;
      const exchange = this.#host.receive(text.trim());
      const rateHz = isObject(format) ? Number(format["sample_rate"]) : 16_000;
      context.work = context.work.then(async () => {
        await this.#speak({ id, context, flushId, rateHz }, text, exchange);
      });
    }
    if (goesOn === false) {
      context.work = context.work.then(() => {
        this.#contexts.delete(id);
        if (!context.isCanceled) this.#reply({ type: "done", context_id: id, status_code: 206, done: true });
      });
    }
    context.work = context.work.catch(() => this.#connection.socket.terminate());
  }

  async #speak(
    { id, context, flushId, rateHz }: ScriptedFlush,
    text: string,
    exchange: ScriptedExchange,
  ): Promise<void> {
    const durationMs = text.length * MS_PER_CHARACTER;
    const chunkMs = this.#options.chunkMs ?? 240;
    const about = { context_id: id, flush_id: flushId, status_code: 206, done: false };
    if (!(await this.#host.wait(this.#options.latencyMs ?? 0))) return;
    for (let atMs = 0; atMs < durationMs; atMs += chunkMs) {
      const factor = this.#options.realTimeFactor;
      if (!(await this.#host.wait(atMs === 0 || factor === undefined ? 0 : chunkMs / factor))) return;
      if (context.isCanceled) return;
      const data = createTone(Math.min(chunkMs, durationMs - atMs), rateHz);
      // The rest of the context waits indefinitely, its end included.
      if (!this.#connection.send(JSON.stringify({ type: "chunk", data, step_time: 1, ...about })))
        return await new Promise<void>(() => {});
      exchange.firstByteAtMs ??= monotonicMs();
    }
    this.#reply({ type: "flush_done", flush_done: true, ...about });
  }

  #reply(message: Record<string, unknown>): void {
    this.#connection.socket.send(JSON.stringify(message));
  }
}

interface ScriptedFlush {
  id: string;
  context: ScriptedContext;
  flushId: number;
  rateHz: number;
}

function newContext(): ScriptedContext {
  return { pendingText: "", flushes: 0, isCanceled: false, work: Promise.resolve() };
}
