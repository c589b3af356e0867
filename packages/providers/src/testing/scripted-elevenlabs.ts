import type { IncomingMessage, ServerResponse } from "node:http";
import { parseJsonObject } from "../http/provider-socket.ts";
import type { ScriptedConnection } from "./scripted-connection.ts";
import type { ScriptedFault } from "./scripted-fault.ts";
import { createTone, MS_PER_CHARACTER } from "./scripted-tone.ts";
import { ScriptedHost, monotonicMs, type ScriptedExchange, type ScriptedServer } from "./scripted-server.ts";

export interface ScriptedElevenLabsOptions {
  /** If set, other keys are refused with 401. */
  apiKey?: string;
  /** From a flush to its first audio. */
  latencyMs?: number;
  /** Speed of sending relative to speech; default: as fast as possible. */
  realTimeFactor?: number;
  /** Length of an audio chunk. */
  chunkMs?: number;
  /** Voices of the account, in the vendor's form. Default: one with the id `rachel`. */
  voices?: ScriptedVoice[];
  /** Status with which the next creation of a voice is refused; `undefined`: none. */
  refuseClone?: () => number | undefined | Promise<number | undefined>;
  /** Receives the settings of each context. */
  onVoiceSettings?: (settings: unknown) => void;
  /** Fault of the nth connection; `after` counts audio chunks. */
  fault?: (connection: number) => ScriptedFault | undefined;
}

/** A voice as `GET /v2/voices` returns it. */
interface ScriptedVoice {
  voice_id: string;
  name: string;
  category?: string;
  labels?: Readonly<Record<string, string>>;
}

const RACHEL: ScriptedVoice = {
  voice_id: "rachel",
  name: "Rachel",
  category: "premade",
  labels: { gender: "female", language: "en" },
};
const VOICES_PER_PAGE = 2;

/**
 * A server that speaks ElevenLabs' multi-context WebSocket and lists voices. Text becomes a 300 Hz tone of 60 ms per character, sent
 * in chunks with their alignment.
 */
export async function startScriptedElevenLabs(options: ScriptedElevenLabsOptions): Promise<ScriptedServer> {
  const account = { ...options, voices: options.voices ?? [RACHEL] };
  const host = new ScriptedHost((request, response) => answerAboutVoices(account, request, response));
  host.onWebSocket(
    (request) => {
      const isRight = options.apiKey === undefined || request.headers["xi-api-key"] === options.apiKey;
      return isRight ? undefined : 401;
    },
    options.fault,
    (connection, request) => {
      const query = new URL(request.url ?? "/", "http://scripted").searchParams;
      const sampleRateHz = Number(/^pcm_(\d+)$/.exec(query.get("output_format") ?? "")?.[1] ?? 16_000);
      const speaker = new ScriptedSpeaker(host, options, connection, sampleRateHz);
      connection.socket.on("message", (data, isBinary) => {
        if (!isBinary && Buffer.isBuffer(data)) speaker.obey(parseJsonObject(data.toString()) ?? {});
      });
    },
  );
  return await host.start();
}

type ScriptedAccount = ScriptedElevenLabsOptions & { voices: ScriptedVoice[] };

/** `GET /v2/voices`, with two voices per page, `GET` and `DELETE /v1/voices/{id}`, and `POST /v1/voices/add`. */
function answerAboutVoices(
  { apiKey, voices, refuseClone }: ScriptedAccount,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { url = "/", headers, method } = request;
  const send = (status: number, body: object): void =>
    void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  if (apiKey !== undefined && headers["xi-api-key"] !== apiKey)
    return send(401, { detail: { status: "invalid_api_key" } });
  const { pathname, searchParams } = new URL(url, "http://scripted");
  if (pathname === "/v1/voices/add" && method === "POST") {
    const add = async (): Promise<void> => {
      const refusal = await refuseClone?.();
      if (refusal !== undefined) return send(refusal, { detail: { status: "refused" } });
      send(200, { voice_id: await addVoice(request, voices), requires_verification: false });
    };
    return void add().catch(() => send(422, { detail: [{ msg: "unreadable form" }] }));
  }
  const [, id] = /^\/v1\/voices\/([^/]+)$/.exec(pathname) ?? [];
  if (id !== undefined) {
    const index = voices.findIndex((each) => each.voice_id === decodeURIComponent(id));
    const voice = voices[index];
    if (voice === undefined) return send(400, { detail: { status: "voice_not_found" } });
    if (method !== "DELETE") return send(200, voice);
    voices.splice(index, 1);
    return send(200, { status: "ok" });
  }
  if (pathname !== "/v2/voices") return send(404, {});
  const from = Number(searchParams.get("next_page_token") ?? 0);
  const next = from + VOICES_PER_PAGE;
  const hasMore = next < voices.length;
  send(200, {
    voices: voices.slice(from, next),
    has_more: hasMore,
    next_page_token: hasMore ? String(next) : null,
  });
}

/** Reads the form of a clone. Rejects without a name or a WAV file. */
async function addVoice(request: IncomingMessage, voices: ScriptedVoice[]): Promise<string> {
  const body = Buffer.concat(await request.toArray());
  const type = request.headers["content-type"] ?? "";
  const form = await new Response(body, { headers: { "content-type": type } }).formData();
  const [name, file] = [form.get("name"), form.get("files")];
  if (typeof name !== "string" || !(file instanceof File)) throw new Error("no name or no file");
  const wav = Buffer.from(await file.arrayBuffer());
  if (wav.toString("latin1", 0, 4) !== "RIFF") throw new Error("no WAV file");
  const voice_id = `clone${voices.length}x${wav.length}`;
  voices.push({ voice_id, name, category: "cloned" });
  return voice_id;
}

interface ScriptedContext {
  pendingText: string;
  /** The generations of a context run one after the other. */
  work: Promise<void>;
}

class ScriptedSpeaker {
  readonly #host: ScriptedHost;
  readonly #options: ScriptedElevenLabsOptions;
  readonly #connection: ScriptedConnection;
  readonly #sampleRateHz: number;
  readonly #contexts = new Map<string, ScriptedContext>();

  constructor(
    host: ScriptedHost,
    options: ScriptedElevenLabsOptions,
    connection: ScriptedConnection,
    sampleRateHz: number,
  ) {
    this.#host = host;
    this.#options = options;
    this.#connection = connection;
    this.#sampleRateHz = sampleRateHz;
  }

  obey(message: Record<string, unknown>): void {
    if (message["close_socket"] === true) return this.#connection.socket.close(1000);
    const contextId = message["context_id"];
    if (typeof contextId !== "string") return;
    const context = this.#contexts.get(contextId) ?? { pendingText: "", work: Promise.resolve() };
    this.#contexts.set(contextId, context);
    if ("voice_settings" in message) this.#options.onVoiceSettings?.(message["voice_settings"]);
    if (typeof message["text"] === "string" && message["text"] !== " ")
      context.pendingText += message["text"];
    const isClosing = message["close_context"] === true;
    if ((message["flush"] === true || isClosing) && context.pendingText.trim() !== "") {
      const text = context.pendingText;
      context.pendingText = "";
      const exchange = this.#host.receive(text.trim());
      context.work = context.work.then(async () => await this.#speak(contextId, text, exchange));
    }
    if (isClosing) {
      this.#contexts.delete(contextId);
      context.work = context.work.then(() => {
        this.#connection.socket.send(JSON.stringify({ isFinal: true, contextId }));
      });
    }
    context.work = context.work.catch(() => this.#connection.socket.terminate());
  }

  async #speak(contextId: string, text: string, exchange: ScriptedExchange): Promise<void> {
    const characters = text.split("");
    const chunkMs = this.#options.chunkMs ?? 240;
    const perChunk = Math.max(1, Math.round(chunkMs / MS_PER_CHARACTER));
    if (!(await this.#host.wait(this.#options.latencyMs ?? 0))) return;
    for (let index = 0; index < characters.length; index += perChunk) {
      const chars = characters.slice(index, index + perChunk);
      const factor = this.#options.realTimeFactor;
      const pauseMs = index === 0 || factor === undefined ? 0 : (perChunk * MS_PER_CHARACTER) / factor;
      if (!(await this.#host.wait(pauseMs))) return;
      // The rest of the context waits indefinitely, its end included.
      if (!this.#sendAudio(contextId, chars)) return await new Promise<void>(() => {});
      exchange.firstByteAtMs ??= monotonicMs();
    }
  }

  #sendAudio(contextId: string, chars: string[]): boolean {
    const alignment = {
      chars,
      charStartTimesMs: chars.map((_, index) => index * MS_PER_CHARACTER),
      charDurationsMs: chars.map(() => MS_PER_CHARACTER),
    };
    const audio = createTone(chars.length * MS_PER_CHARACTER, this.#sampleRateHz);
    // The audio, most of the message, is plain base64: appended, it is not scanned for escapes again.
    const rest = JSON.stringify({ alignment, normalizedAlignment: alignment, contextId });
    return this.#connection.send(`{"audio":"${audio}",${rest.slice(1)}`);
  }
}
