import { parseJsonObject } from "../http/provider-socket.ts";
import type { ScriptedConnection } from "./scripted-connection.ts";
import type { ScriptedFault } from "./scripted-fault.ts";
import { ScriptedHost, monotonicMs, type ScriptedServer } from "./scripted-server.ts";

export interface ScriptedDeepgramOptions {
  /** If set, other keys are refused with 401. */
  apiKey?: string;
  /** Text of an utterance, by connection and index. */
  utterance: (connection: number, index: number) => string;
  /** From `Finalize` to the answer. */
  latencyMs?: number;
  /** Audio with speech per interim result; default: no interim results. */
  interimEveryMs?: number;
  /** Fault of the nth connection; `after` counts results. */
  fault?: (connection: number) => ScriptedFault | undefined;
}

/** Peak above which audio counts as speech; comfort noise and silence are far below. */
const SPEECH_PEAK = 500;

/**
 * A server that speaks Deepgram's streaming `/v1/listen`. It recognizes nothing: `Finalize` is answered with the next
 * scripted utterance if audio above a threshold arrived since the last one, otherwise with empty text.
 */
export async function startScriptedDeepgram(options: ScriptedDeepgramOptions): Promise<ScriptedServer> {
  const host = new ScriptedHost((_request, response) => response.writeHead(404).end());
  host.onWebSocket(
    (request) => {
      const isRight =
        options.apiKey === undefined || request.headers.authorization === `Token ${options.apiKey}`;
      return isRight ? undefined : 401;
    },
    options.fault,
    (connection, request) => {
      const query = new URL(request.url ?? "/", "http://scripted").searchParams;
      const listener = new ScriptedListener(host, options, connection, Number(query.get("sample_rate")));
      connection.socket.on("message", (data, isBinary) => {
        if (!Buffer.isBuffer(data)) return;
        if (isBinary) listener.hear(data);
        else listener.obey(String(parseJsonObject(data.toString())?.["type"]));
      });
    },
  );
  return await host.start();
}

class ScriptedListener {
  readonly #host: ScriptedHost;
  readonly #options: ScriptedDeepgramOptions;
  readonly #connection: ScriptedConnection;
  readonly #bytesPerMs: number;
  #utterances = 0;
  #heardMs = 0;
  #speechStartMs: number | undefined;
  #interimAtMs = 0;

  constructor(
    host: ScriptedHost,
    options: ScriptedDeepgramOptions,
    connection: ScriptedConnection,
    sampleRateHz: number,
  ) {
    this.#host = host;
    this.#options = options;
    this.#connection = connection;
    this.#bytesPerMs = (sampleRateHz * 2) / 1000;
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
    return this.#options.utterance(this.#connection.index, this.#utterances);
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
