import { errorMessage } from "@parley/conversation/error-message";

/** Deadlines of one download. */
export interface DownloadTimeouts {
  /** Maximum time to the response's headers. */
  responseMs: number;
  /** Maximum time between two chunks of its body. */
  stallMs: number;
}

export interface DownloadOptions {
  timeouts: DownloadTimeouts;
  /** Maximum size; a longer body is refused. */
  maxBytes: number;
  signal?: AbortSignal | undefined;
  onProgress?: (receivedBytes: number, totalBytes: number | undefined) => void;
}

/** The host did not answer at all, so requesting the next file from it is useless. */
export class HostUnreachableError extends Error {
  override readonly name = "HostUnreachableError";
}

function describeFailure(error: unknown): string {
  const { cause } = error instanceof Error ? error : { cause: undefined };
  if (cause instanceof Error && "code" in cause) return String(cause.code);
  if (cause instanceof Error) return cause.message;
  return errorMessage(error);
}

function declaredBytes(response: Response): number | undefined {
  if (response.headers.has("content-encoding")) return undefined;
  const length = Number(response.headers.get("content-length") ?? Number.NaN);
  return Number.isSafeInteger(length) ? length : undefined;
}

/** Moves the name and password of a registry's address to a header, as `fetch` requires. */
function toRequest(address: string): { url: string; headers: Record<string, string> } {
  const url = new URL(address);
  const { username, password } = url;
  if (username === "") return { url: address, headers: {} };
  url.username = "";
  url.password = "";
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
  return { url: url.href, headers: { authorization: `Basic ${credentials.toString("base64")}` } };
}

/**
 * Streams the body of a GET, following redirects. Ends the connection if its consumer stops early.
 *
 * @throws {HostUnreachableError} if no response arrived.
 * @throws {Error} on a status other than 2xx, a stall, or a body that is cut short or longer than `maxBytes`.
 */
export async function* download(address: string, options: DownloadOptions): AsyncGenerator<Uint8Array, void> {
  const { timeouts, maxBytes, signal, onProgress } = options;
  const controller = new AbortController();
  const stop = (): void => controller.abort(signal?.reason);
  signal?.throwIfAborted();
  signal?.addEventListener("abort", stop, { once: true });
  let deadline: NodeJS.Timeout | undefined;
  const expectWithin = (ms: number, what: string): void => {
    clearTimeout(deadline);
    deadline = setTimeout(() => controller.abort(new Error(`${what} for ${ms / 1000} s`)), ms);
  };
  try {
    expectWithin(timeouts.responseMs, "no answer");
    const { url, headers } = toRequest(address);
    const response = await fetch(url, { headers, signal: controller.signal }).catch((error: unknown) => {
      signal?.throwIfAborted();
      throw new HostUnreachableError(describeFailure(error), { cause: error });
    });
    if (!response.ok || response.body === null) throw new Error(`HTTP status ${response.status}`);
    const totalBytes = declaredBytes(response);
    if (totalBytes !== undefined && totalBytes > maxBytes) {
      throw new Error(`${totalBytes} bytes offered, at most ${maxBytes} expected`);
    }
    let receivedBytes = 0;
    expectWithin(timeouts.stallMs, "no data");
    for await (const chunk of response.body) {
      receivedBytes += chunk.length;
      if (receivedBytes > maxBytes) throw new Error(`more than the ${maxBytes} bytes expected`);
      onProgress?.(receivedBytes, totalBytes);
      clearTimeout(deadline);
      yield chunk;
      expectWithin(timeouts.stallMs, "no data");
    }
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof HostUnreachableError) throw error;
    throw new Error(describeFailure(error), { cause: error });
  } finally {
    clearTimeout(deadline);
    signal?.removeEventListener("abort", stop);
    controller.abort();
  }
}

/** The whole body as text, for metadata. */
export async function downloadText(url: string, options: DownloadOptions): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of download(url, options)) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}
