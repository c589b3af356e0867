import { ProviderError } from "@parley/conversation";
import { fetchError, statusError } from "./http-error.ts";
import { readStart } from "./read-start.ts";

/** A request whose answer is JSON. */
export interface JsonRequest {
  /** Provider name in errors. */
  provider: string;
  url: URL;
  headers: Readonly<Record<string, string>>;
  /** Default: `GET`. */
  method?: "GET" | "POST" | "DELETE";
  body?: FormData | string;
  /** `error`: a redirect is refused, because the body is for this server only. Default: it is followed. */
  redirect?: "error";
  signal: AbortSignal;
}

/** Longer than any list of voices, and than 64 vectors of 8,192 dimensions in decimal digits. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/** Sends the request. Rejects with a `ProviderError`; an empty answer resolves to `undefined`. */
export async function requestJson({ provider, url, ...init }: JsonRequest): Promise<unknown> {
  let text: string;
  try {
    const response = await fetch(url, init);
    if (!response.ok) throw await statusError(provider, response);
    const answer = await readStart(response, MAX_ANSWER_BYTES);
    if (!answer.isWhole)
      throw unreadableAnswer(provider, `the answer is longer than ${MAX_ANSWER_BYTES} bytes`);
    ({ text } = answer);
  } catch (error) {
    throw fetchError(provider, error);
  }
  if (text === "") return undefined;
  try {
    const answer: unknown = JSON.parse(text);
    return answer;
  } catch (cause) {
    throw unreadableAnswer(provider, "the answer is not JSON", cause);
  }
}

/** Error for an answer of another form than documented. */
export function unreadableAnswer(provider: string, message: string, cause?: unknown): ProviderError {
  return new ProviderError({ provider, kind: "connection", message, isRetryable: true, cause });
}

/** URL of a path at a provider whose base URL may be that of its WebSockets. */
export function httpUrl(baseUrl: string, path: string): URL {
  const url = new URL(path, baseUrl);
  url.protocol = url.protocol.replace("ws", "http");
  return url;
}

/** URL of a WebSocket at a provider whose base URL may be that of its HTTP requests. */
export function webSocketUrl(baseUrl: string, path: string): URL {
  const url = new URL(path, baseUrl);
  url.protocol = url.protocol.replace("http", "ws");
  return url;
}
