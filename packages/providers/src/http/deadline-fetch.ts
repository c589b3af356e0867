import { ProviderError } from "@parley/conversation";
import { Agent, type Dispatcher, request } from "undici";

export interface DeadlineFetchOptions {
  /** Provider name in errors. */
  provider: string;
  /** TCP and TLS setup. */
  connectTimeoutMs: number;
  /** From sending the request to the first byte of the body. */
  firstByteTimeoutMs: number;
  /** Between two chunks of the body, while the next one is being read. */
  betweenChunksTimeoutMs: number;
}

export interface DeadlineFetch {
  fetch: typeof globalThis.fetch;
  /** Closes the pooled connections and aborts requests under way. Idempotent. */
  close(): Promise<void>;
}

/** Turns are many seconds apart: a connection that survives the pause saves a TLS handshake per turn. */
const KEEP_ALIVE_MS = 60_000;

/**
 * A `fetch` with pooled connections and a deadline on every wait. A missed deadline rejects, or errors the body, with a
 * `timeout` ProviderError; a body that breaks off errors with a `connection` one. Other failures are undici's own.
 * Sends GET and POST only; redirects are not followed. It is built on undici's `request`, which takes half of the time of its `fetch` per chunk.
 */
export function createDeadlineFetch(options: DeadlineFetchOptions): DeadlineFetch {
  const closing = new AbortController();
  const agent = new Agent({
    connect: { timeout: options.connectTimeoutMs, signal: closing.signal },
    keepAliveTimeout: KEEP_ALIVE_MS,
    // One reply per connection: a stalled connection then affects one call instead of all calls.
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return {
    fetch: async (input, init) => await fetchWithDeadlines(agent, options, input, init),
    close: async () => {
      // `destroy` alone leaves a connection that is being set up open until its timeout.
      closing.abort();
      await agent.destroy();
    },
  };
}

async function fetchWithDeadlines(
  agent: Agent,
  options: DeadlineFetchOptions,
  input: Parameters<typeof globalThis.fetch>[0],
  init: RequestInit = {},
): Promise<Response> {
  const guard = new RequestGuard(options.provider, init.signal ?? undefined);
  const startedAtMs = performance.now();
  guard.arm(options.firstByteTimeoutMs, "no answer");
  try {
    const answer = await request(input instanceof Request ? input.url : input, {
      method: init.method === "POST" ? "POST" : "GET",
      headers: Object.fromEntries(new Headers(init.headers)),
      body: typeof init.body === "string" || init.body instanceof Uint8Array ? init.body : null,
      signal: guard.signal,
      dispatcher: agent,
    });
    guard.disarm();
    const waitedMs = performance.now() - startedAtMs;
    const { statusCode: status, statusText } = answer;
    if (bodiless.has(status)) {
      guard.release();
      await answer.body.dump();
      return new Response(null, { status, statusText, headers: headersOf(answer) });
    }
    const body = guardBody(answer.body, guard, {
      firstByteTimeoutMs: Math.max(0, options.firstByteTimeoutMs - waitedMs),
      betweenChunksTimeoutMs: options.betweenChunksTimeoutMs,
    });
    return new Response(body, { status, statusText, headers: headersOf(answer) });
  } catch (error) {
    guard.release();
    throw guard.signal.aborted ? guard.signal.reason : error;
  }
}

/** Statuses whose answers have no body. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

function headersOf({ headers }: Dispatcher.ResponseData): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((each): [string, string] => [name, each]),
  );
}

/** Aborts a request when its caller does or when the current wait exceeds its deadline. */
class RequestGuard {
  readonly #controller = new AbortController();
  readonly #provider: string;
  readonly #outer: AbortSignal | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(provider: string, outer: AbortSignal | undefined) {
    this.#provider = provider;
    this.#outer = outer;
    if (outer?.aborted === true) this.#onOuterAbort();
    else outer?.addEventListener("abort", this.#onOuterAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  readonly #onOuterAbort = (): void => this.#controller.abort(this.#outer?.reason);

  arm(timeoutMs: number, what: string): void {
    this.disarm();
    this.#timer = setTimeout(() => {
      this.#controller.abort(this.error("timeout", `${what} within ${timeoutMs} ms`));
    }, timeoutMs);
  }

  disarm(): void {
    clearTimeout(this.#timer);
  }

  release(): void {
    this.disarm();
    this.#outer?.removeEventListener("abort", this.#onOuterAbort);
  }

  abort(): void {
    this.release();
    this.#controller.abort();
  }

  error(kind: "timeout" | "connection", message: string, cause?: unknown): ProviderError {
    return new ProviderError({ provider: this.#provider, kind, message, isRetryable: true, cause });
  }
}

/**
 * Applies the guard to each read of the body; time without a read does not count against the peer. The first read has
 * the rest of the first-byte deadline.
 */
function guardBody(
  body: AsyncIterable<Uint8Array>,
  guard: RequestGuard,
  timeouts: Pick<DeadlineFetchOptions, "firstByteTimeoutMs" | "betweenChunksTimeoutMs">,
): ReadableStream<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]();
  let isFirst = true;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (isFirst) guard.arm(timeouts.firstByteTimeoutMs, "no answer");
        else guard.arm(timeouts.betweenChunksTimeoutMs, "the reply did not go on");
        try {
          const next = await chunks.next();
          guard.disarm();
          isFirst = false;
          if (next.done !== true) return controller.enqueue(next.value);
          guard.release();
          controller.close();
        } catch (error) {
          guard.release();
          throw guard.signal.aborted
            ? guard.signal.reason
            : guard.error("connection", "the connection broke off within the reply", error);
        }
      },
      // Cancel alone would not free the connection while the server continues to send.
      cancel: () => guard.abort(),
    },
    { highWaterMark: 0 },
  );
}
