import { ApiError, ConnectionError, readApiError } from "./errors.ts";
import { readEvents } from "./event-stream.ts";
import { nextWaitMs, readRetryAfter } from "./retries.ts";

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_MAX_RETRIES = 2;
/** Wait before a stream is continued. */
const RECONNECTION_MS = 1_000;
/** The server is busy and has not processed the request. */
const retriedStatuses: ReadonlySet<number> = new Set([429, 503]);

export interface ParleyOptions {
  /** Default: none, for pages of the server itself, whose requests have the session cookie. */
  apiKey?: string;
  /** URL of the API including its version: `https://voice.example.com/v1`. */
  baseUrl: string;
  /** Limit for each attempt. @default 30000 */
  timeoutMs?: number;
  /** Maximum number of retries of an idempotent request. @default 2 */
  maxRetries?: number;
  /** Replaces the global `fetch`. */
  fetch?: typeof globalThis.fetch;
}

export interface RequestOptions {
  /** Aborts the request, which then throws the signal's reason. */
  signal?: AbortSignal;
  /** Limit for each attempt. Default: the client's. */
  timeoutMs?: number;
  /** Default: the client's. */
  maxRetries?: number;
  /** Identifies the effect of a POST, which then happens once for all attempts. Default: a random key. */
  idempotencyKey?: string;
}

/** One page of a list. */
export interface Page<T> {
  data: T[];
  page: number;
  pageSize: number;
  /** Number of items on all pages. */
  total: number;
  hasNextPage: boolean;
}

type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

interface ApiRequest {
  method: string;
  path: string;
  query?: Query;
  body?: object;
  /** Fields of a multipart body; `undefined` ones are omitted. */
  form?: Readonly<Record<string, string | Blob | undefined>>;
  answer: "data" | "object" | "bytes" | "events";
  takesIdempotencyKey?: true;
  /** Continues a stream after this event. */
  lastEventId?: string | undefined;
}

/** Template tag for a path; encodes each part. */
export function path(texts: TemplateStringsArray, ...parts: readonly (string | number)[]): string {
  return String.raw({ raw: texts }, ...parts.map((part) => encodeURIComponent(part)));
}

/** Sends requests with the API key and a timeout, and repeats idempotent ones. */
export class Requests {
  readonly #options: ParleyOptions;

  constructor(options: ParleyOptions) {
    this.#options = options;
  }

  /** Sends a request. The response is assumed to match the operation's type. */
  protected async send<T>(request: ApiRequest, options: RequestOptions): Promise<T> {
    const idempotencyKey =
      request.takesIdempotencyKey === true ? (options.idempotencyKey ?? randomKey()) : undefined;
    const isSafeToRepeat = idempotencyKey !== undefined || ["GET", "PUT", "DELETE"].includes(request.method);
    const maxRetries = isSafeToRepeat
      ? (options.maxRetries ?? this.#options.maxRetries ?? DEFAULT_MAX_RETRIES)
      : 0;
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#attempt<T>(request, idempotencyKey, options);
      } catch (error) {
        const waitMs = isTransient(error)
          ? nextWaitMs(attempt, maxRetries, retryAfterOf(error), Math.random())
          : undefined;
        if (waitMs === undefined) throw error;
        await wait(waitMs, options.signal);
      }
    }
  }

  /**
   * Yields the events of a stream, until the consumer stops or the signal aborts. Continues after the last event when the
   * connection is lost; throws when no attempt since has succeeded, as for any request, or the server refuses it.
   */
  protected async *stream<T>(request: ApiRequest, options: RequestOptions): AsyncGenerator<T> {
    let lastEventId: string | undefined;
    for (;;) {
      const body = await this.send<ReadableStream<Uint8Array>>({ ...request, lastEventId }, options);
      try {
        for await (const { id, data } of readEvents(body)) {
          lastEventId = id ?? lastEventId;
          yield JSON.parse(data) as T;
        }
      } catch (error) {
        if (error instanceof SyntaxError) throw error;
        options.signal?.throwIfAborted();
      }
      await wait(RECONNECTION_MS, options.signal);
    }
  }

  async #attempt<T>(
    request: ApiRequest,
    idempotencyKey: string | undefined,
    { signal, timeoutMs = this.#options.timeoutMs ?? DEFAULT_TIMEOUT_MS }: RequestOptions,
  ): Promise<T> {
    const { apiKey, baseUrl, fetch = globalThis.fetch } = this.#options;
    const deadline = new AbortController();
    // Limits a stream up to its beginning only.
    const timer = setTimeout(() => deadline.abort(), timeoutMs);
    const headers = {
      ...(apiKey !== undefined && { "x-api-key": apiKey }),
      ...(request.body !== undefined && { "content-type": "application/json" }),
      ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
      ...(request.lastEventId !== undefined && { "last-event-id": request.lastEventId }),
    };
    try {
      const response = await fetch(baseUrl.replace(/\/+$/, "") + request.path + queryOf(request.query), {
        method: request.method,
        headers,
        ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
        // `fetch` sets the content type, with the boundary of the parts.
        ...(request.form !== undefined && { body: formOf(request.form) }),
        signal: signal === undefined ? deadline.signal : AbortSignal.any([signal, deadline.signal]),
      });
      return await read<T>(response, request.answer);
    } catch (error) {
      if (error instanceof ApiError) throw error;
      signal?.throwIfAborted();
      throw new ConnectionError(deadline.signal.aborted ? "timeout" : "network", { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }
}

function formOf(fields: NonNullable<ApiRequest["form"]>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.append(name, value);
  return form;
}

async function read<T>(response: Response, answer: ApiRequest["answer"]): Promise<T> {
  const { ok, status, headers } = response;
  if (ok && answer === "bytes") return (await response.blob()) as T;
  if (ok && answer === "events" && response.body !== null) return response.body as T;
  const text = await response.text();
  const body = ok ? parseObject(text) : undefined;
  if (body === undefined || (answer === "data" && !("data" in body))) {
    const retryAfterMs = readRetryAfter(headers.get("retry-after"), Date.now());
    throw readApiError({ status, headers, text, retryAfterMs });
  }
  return (answer === "data" && "data" in body ? body.data : body) as T;
}

function parseObject(text: string): object | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === "object" && body !== null ? body : undefined;
  } catch {
    return undefined;
  }
}

function queryOf(query: Query = {}): string {
  const set = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((each): [string, string] => [name, String(each)]),
  );
  return set.length === 0 ? "" : `?${String(new URLSearchParams(set))}`;
}

function isTransient(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  return error instanceof ApiError && retriedStatuses.has(error.status);
}

function retryAfterOf(error: unknown): number | undefined {
  return error instanceof ApiError ? error.retryAfterMs : undefined;
}

async function wait(durationMs: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- like `fetch`, rejects with the signal's reason
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, durationMs);
    signal?.addEventListener("abort", abort, { once: true });
  });
}

/** A random key, without `crypto.randomUUID`, which pages loaded over plain HTTP lack. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
