import type {
  WidgetCall,
  WidgetCallCreation,
  WidgetChat,
  WidgetMessageCreation,
  WidgetSession,
  WidgetSessionCreation,
  WidgetSettings,
} from "@parley/contract";
import { explainAnswer, WidgetError } from "./widget-error.ts";

const REQUEST_TIMEOUT_MS = 15_000;

interface WidgetRequest {
  method: "GET" | "POST";
  path: string;
  token?: string;
  body?: object;
  headers?: Readonly<Record<string, string>>;
  signal: AbortSignal;
}

/** The operations under `/widget`. They throw a {@link WidgetError}; aborted ones throw the signal's reason. */
export class WidgetApi {
  readonly #url: string;
  readonly #signal: AbortSignal;

  constructor(serverUrl: string, widgetKey: string, signal: AbortSignal) {
    this.#url = `${serverUrl}/widget/${encodeURIComponent(widgetKey)}`;
    this.#signal = signal;
  }

  async settings(): Promise<WidgetSettings> {
    return await this.#read({ method: "GET", path: "" });
  }

  async startSession(body: WidgetSessionCreation): Promise<WidgetSession> {
    return await this.#read({ method: "POST", path: "/sessions", body });
  }

  async chat(token: string): Promise<WidgetChat> {
    return await this.#read({ method: "GET", path: "/chat", token });
  }

  async send(token: string, body: WidgetMessageCreation): Promise<void> {
    await this.#read({ method: "POST", path: "/chat/messages", token, body });
  }

  async endChat(token: string): Promise<void> {
    await this.#read({ method: "POST", path: "/chat/end", token, body: {} });
  }

  async startCall(token: string, body: WidgetCallCreation): Promise<WidgetCall> {
    return await this.#read({ method: "POST", path: "/calls", token, body });
  }

  /** Opens the stream of events. Its body has no deadline; the caller watches it. */
  async openEvents(token: string, lastEventId: string | null, signal: AbortSignal): Promise<Response> {
    const tooLate = new AbortController();
    const timer = setTimeout(() => tooLate.abort(), REQUEST_TIMEOUT_MS);
    const headers: Record<string, string> = lastEventId === null ? {} : { "last-event-id": lastEventId };
    try {
      return await this.#send({
        method: "GET",
        path: "/chat/events",
        token,
        headers,
        signal: AbortSignal.any([signal, tooLate.signal]),
      });
    } finally {
      clearTimeout(timer);
    }
  }

  async #read<T>(request: Omit<WidgetRequest, "signal">): Promise<T> {
    const signal = AbortSignal.any([this.#signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]);
    const response = await this.#send({ ...request, signal });
    try {
      return ((await response.json()) as { data: T }).data;
    } catch (error) {
      throw this.#offline(error);
    }
  }

  async #send({ method, path, token, body, headers, signal }: WidgetRequest): Promise<Response> {
    let response: Response;
    try {
      response = await fetch(this.#url + path, {
        method,
        credentials: "omit",
        cache: "no-store",
        headers: {
          ...headers,
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { "content-type": "application/json" }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal,
        // A message that was sent just before a reload still arrives.
        keepalive: body !== undefined,
      });
    } catch (error) {
      throw this.#offline(error);
    }
    if (response.ok) return response;
    const detail = await response.text().catch(() => "");
    throw explainAnswer(path, response.status, response.headers.get("retry-after"), detail.slice(0, 500));
  }

  #offline(cause: unknown): WidgetError {
    this.#signal.throwIfAborted();
    return new WidgetError("offline", { cause });
  }
}
