import type { TextToSpeechOptions, TextToSpeechStream } from "@parley/conversation";
import { fetchError, statusError } from "../http/http-error.ts";
import { PcmReader } from "./pcm-reader.ts";

export interface OpenAiSpeechStreamOptions {
  provider: string;
  url: string;
  apiKey: string | undefined;
  model: string;
  fetch: typeof globalThis.fetch;
  reply: TextToSpeechOptions;
}

/** Concurrent requests: the clause being heard and the next one; more would only compete. */
const MAX_REQUESTED = 2;
/** Range that the vendor accepts. */
const SPEED_RANGE = [0.25, 4] as const;

interface Clause {
  id: number;
  text: string;
  response: Promise<Response> | undefined;
}

/** One reply: a request per clause, with the audio emitted in order. */
export class OpenAiSpeechStream implements TextToSpeechStream {
  readonly #options: OpenAiSpeechStreamOptions;
  readonly #abort = new AbortController();
  readonly #clauses: Clause[] = [];
  #hasEnd = false;
  #isReading = false;
  /** Resolves when reading may continue; `undefined` while not paused. */
  #pause: { promise: Promise<void>; resolve: () => void } | undefined;

  constructor(options: OpenAiSpeechStreamOptions) {
    this.#options = options;
  }

  speak(clauseId: number, text: string): void {
    if (this.#abort.signal.aborted || this.#hasEnd) return;
    this.#clauses.push({ id: clauseId, text, response: undefined });
    this.#work();
  }

  end(): void {
    this.#hasEnd = true;
    this.#work();
  }

  pause(): void {
    this.#pause ??= Promise.withResolvers<void>();
  }

  resume(): void {
    this.#pause?.resolve();
    this.#pause = undefined;
  }

  close(): void {
    this.#abort.abort();
    this.resume();
  }

  #work(): void {
    if (this.#abort.signal.aborted) return;
    for (const clause of this.#clauses.slice(0, MAX_REQUESTED))
      clause.response ??= this.#request(clause.text);
    if (!this.#isReading) {
      this.#isReading = true;
      this.#readAll().catch((error: unknown) => this.#fail(error));
    }
  }

  /** Handles rejection even if unread, because the reading of an earlier clause may fail first. */
  #request(text: string): Promise<Response> {
    const { url, apiKey, model, fetch, reply } = this.#options;
    const [slowest, fastest] = SPEED_RANGE;
    const response = fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify({
        model,
        input: text,
        voice: reply.voice,
        response_format: "pcm",
        speed: Math.min(fastest, Math.max(slowest, reply.speed)),
      }),
      signal: this.#abort.signal,
    });
    response.catch(() => undefined);
    return response;
  }

  async #readAll(): Promise<void> {
    for (let clause = this.#clauses[0]; clause !== undefined; clause = this.#clauses[0]) {
      clause.response ??= this.#request(clause.text);
      await this.#read(clause.id, await clause.response);
      if (this.#abort.signal.aborted) return;
      this.#clauses.shift();
      this.#options.reply.onEvent({ type: "clauseEnded", clauseId: clause.id });
      this.#work();
    }
    this.#isReading = false;
    if (!this.#hasEnd || this.#abort.signal.aborted) return;
    this.close();
    this.#options.reply.onEvent({ type: "ended" });
  }

  async #read(clauseId: number, response: Response): Promise<void> {
    const { provider, reply } = this.#options;
    if (!response.ok) throw await statusError(provider, response);
    if (response.body === null) return;
    assertIsAudio(response);
    const reader = new PcmReader(reply.sampleRateHz);
    for await (const bytes of response.body) {
      const pcm = reader.push(bytes);
      await this.#pause?.promise;
      if (this.#abort.signal.aborted) return;
      if (pcm.length > 0) reply.onEvent({ type: "audio", clauseId, pcm });
    }
  }

  #fail(error: unknown): void {
    if (this.#abort.signal.aborted) return;
    const { provider, reply } = this.#options;
    this.close();
    reply.onEvent({ type: "failed", error: fetchError(provider, error) });
  }
}

/**
 * Rejects an error page with a success status, which would be heard as noise: raw samples have no header of their own.
 */
function assertIsAudio({ headers, body }: Response): void {
  const contentType = headers.get("content-type") ?? "";
  if (!/^(text\/|application\/(json|xml))/i.test(contentType)) return;
  body?.cancel().catch(() => undefined);
  throw new Error(`the answer is ${contentType} and no audio`);
}
