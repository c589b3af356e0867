import type { TextToSpeechOptions, TextToSpeechStream } from "@parley/conversation";
import { fetchError, statusError } from "./http-error.ts";
import { PcmReader } from "./pcm-reader.ts";

export interface RequestSpeechOptions {
  provider: string;
  fetch: typeof globalThis.fetch;
  /** The request for a clause. */
  toRequest: (text: string) => SpeechRequest;
  /** Sample rate of raw samples in the answers. */
  pcmRateHz: number;
  reply: TextToSpeechOptions;
}

interface SpeechRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: object;
}

/** Concurrent requests: the clause being heard and the next one; more would only compete. */
const MAX_REQUESTED = 2;

interface Clause {
  id: number;
  text: string;
  response: Promise<Response> | undefined;
}

/**
 * One reply of a provider with a request per clause: the next one is sent while the current one is heard, and the audio is
 * emitted in order.
 */
export class RequestSpeechStream implements TextToSpeechStream {
  readonly #options: RequestSpeechOptions;
  readonly #abort = new AbortController();
  readonly #clauses: Clause[] = [];
  #hasEnd = false;
  #isReading = false;
  /** Resolves when reading may continue; `undefined` while not paused. */
  #pause: { promise: Promise<void>; resolve: () => void } | undefined;

  constructor(options: RequestSpeechOptions) {
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
    const { url, headers, body } = this.#options.toRequest(text);
    const response = this.#options.fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
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
    const { provider, reply, pcmRateHz } = this.#options;
    if (!response.ok) throw await statusError(provider, response);
    if (response.body === null) return;
    assertIsAudio(response);
    const reader = new PcmReader(pcmRateHz, reply.sampleRateHz);
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
