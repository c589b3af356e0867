import { JoinError, type JoinErrorCode } from "./join-error.ts";
import { type IceServer, readIceServers } from "./link-header.ts";

const REQUEST_TIMEOUT_MS = 10_000;

const codesByStatus: Readonly<Record<number, JoinErrorCode>> = {
  401: "token_refused",
  403: "token_refused",
  404: "call_over",
  409: "already_joined",
  410: "call_over",
  503: "no_capacity",
};

interface WhipRequest {
  method: "OPTIONS" | "POST" | "PATCH" | "DELETE";
  contentType?: string;
  body?: string;
  ifMatch?: string;
  /** True to send the request although the page closes. */
  keepalive?: boolean;
  signal?: AbortSignal;
}

/** The HTTP side of a call: WHIP (RFC 9725), extended by new offers for a lost connection. */
export class WhipSession {
  readonly #url: string;
  readonly #token: string;
  #location: string | undefined;
  #etag: string | undefined;

  constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  async iceServers(signal: AbortSignal): Promise<IceServer[]> {
    const response = await this.#request(this.#url, { method: "OPTIONS", signal });
    return readIceServers(response.headers.get("link"));
  }

  /** Returns the answer to an offer. The first offer consumes the token; later ones replace the connection. */
  async exchange(offer: string, signal: AbortSignal): Promise<string> {
    const sdp = { contentType: "application/sdp", body: offer, signal };
    const response =
      this.#location === undefined
        ? await this.#request(this.#url, { method: "POST", ...sdp })
        : await this.#request(this.#location, { method: "PATCH", ...sdp, ifMatch: "*" });
    const location = response.headers.get("location");
    if (location !== null) this.#location = new URL(location, this.#url).href;
    this.#etag = response.headers.get("etag") ?? undefined;
    return await response.text();
  }

  async trickle(fragment: string, signal: AbortSignal): Promise<void> {
    if (this.#location === undefined) return;
    await this.#request(this.#location, {
      method: "PATCH",
      contentType: "application/trickle-ice-sdpfrag",
      body: fragment,
      ...(this.#etag !== undefined && { ifMatch: this.#etag }),
      signal,
    });
  }

  /** Returns the server's side of an ICE restart; throws `refused` if the server does not support it. */
  async restartIce(fragment: string, signal: AbortSignal): Promise<string> {
    if (this.#location === undefined) throw new JoinError("refused");
    const response = await this.#request(this.#location, {
      method: "PATCH",
      contentType: "application/trickle-ice-sdpfrag",
      body: fragment,
      ifMatch: "*",
      signal,
    });
    this.#etag = response.headers.get("etag") ?? undefined;
    return await response.text();
  }

  /** Ends the call, also from a page that is closing. */
  async end(): Promise<void> {
    if (this.#location === undefined) return;
    await this.#request(this.#location, { method: "DELETE", keepalive: true });
  }

  async #request(url: string, request: WhipRequest): Promise<Response> {
    const { method, contentType, body, ifMatch, keepalive = false, signal } = request;
    const deadline = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
    let response: Response;
    try {
      response = await fetch(url, {
        method,
        headers: {
          authorization: `Bearer ${this.#token}`,
          ...(contentType !== undefined && { "content-type": contentType }),
          ...(ifMatch !== undefined && { "if-match": ifMatch }),
        },
        ...(body !== undefined && { body }),
        keepalive,
        signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
      });
    } catch (error) {
      signal?.throwIfAborted();
      throw new JoinError("server_unreachable", { cause: error });
    }
    if (response.ok) return response;
    throw await refusal(response);
  }
}

async function refusal(response: Response): Promise<JoinError> {
  const code = codesByStatus[response.status];
  if (code !== undefined) return new JoinError(code);
  const body: unknown = await response.json().catch(() => undefined);
  const hasMessage = typeof body === "object" && body !== null && "message" in body;
  return new JoinError("refused", { detail: hasMessage ? String(body.message) : `(${response.status})` });
}
