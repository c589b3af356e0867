import type { IncomingMessage } from "node:http";
import { ProviderError, type ProviderErrorOptions, readRetryAfterMs } from "@parley/conversation";
import { WebSocket } from "ws";
import { isObject } from "./is-object.ts";

export interface ProviderSocketOptions {
  /** Provider name in errors. */
  provider: string;
  url: string;
  headers: Record<string, string>;
  /** TCP, TLS and the upgrade together. */
  connectTimeoutMs: number;
  /** Silence after which a connection is lost, answers to pings included. */
  silenceTimeoutMs: number;
  onOpen: () => void;
  onMessage: (text: string) => void;
  /** Called once, as the last callback. The socket is closed by then. */
  onFailed: (error: ProviderError) => void;
}

/** Maximum wait for the peer's closing handshake (RFC 6455 §7.1.1). */
const CLOSE_TIMEOUT_MS = 1_000;

/** The peer refuses what it was sent (RFC 6455 §7.4.1). Vendors use it for invalid keys, quotas and parameters. */
const POLICY_VIOLATION_CODE = 1008;

/**
 * A WebSocket to a vendor, with a deadline on connecting and detection of half-open connections. Every failure becomes
 * one ProviderError.
 */
export class ProviderSocket {
  readonly #options: ProviderSocketOptions;
  readonly #socket: WebSocket;
  #heartbeat: NodeJS.Timeout | undefined;
  #hasHeard = true;
  #isPaused = false;
  #isOver = false;

  constructor(options: ProviderSocketOptions) {
    this.#options = options;
    this.#socket = new WebSocket(options.url, {
      headers: options.headers,
      handshakeTimeout: options.connectTimeoutMs,
      perMessageDeflate: false,
      followRedirects: false,
      maxPayload: 4 * 1024 * 1024,
    });
    this.#socket.on("open", this.#onOpen);
    this.#socket.on("message", this.#onMessage);
    this.#socket.on("pong", () => (this.#hasHeard = true));
    this.#socket.on("ping", () => (this.#hasHeard = true));
    this.#socket.on("unexpected-response", this.#onRefused);
    this.#socket.on("error", this.#onError);
    this.#socket.on("close", this.#onClose);
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  /** Bytes sent that the network has not accepted yet. */
  get bufferedBytes(): number {
    return this.#socket.bufferedAmount;
  }

  send(data: string | Uint8Array): void {
    if (this.isOpen) this.#socket.send(data);
  }

  /** Stops reading, so that TCP throttles the peer. The peer's pings go unanswered meanwhile: pause briefly. */
  pause(): void {
    this.#isPaused = true;
    this.#socket.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#hasHeard = true;
    this.#socket.resume();
  }

  /** Closes with the closing handshake, or without it after a second. Idempotent; no callback follows. */
  close(): void {
    if (this.#isOver) return;
    this.#finish();
    if (this.#socket.readyState === WebSocket.CONNECTING) return this.#socket.terminate();
    this.#socket.resume();
    this.#socket.close(1000);
    const timer = setTimeout(() => this.#socket.terminate(), CLOSE_TIMEOUT_MS);
    this.#socket.once("close", () => clearTimeout(timer));
  }

  readonly #onOpen = (): void => {
    if (this.#isOver) return;
    this.#heartbeat = setInterval(this.#beat, this.#options.silenceTimeoutMs / 2);
    this.#options.onOpen();
  };

  /** Fails the connection after two heartbeats without a message, the ping between them included. */
  readonly #beat = (): void => {
    if (this.#isPaused) return;
    if (!this.#hasHeard) {
      return this.#fail("timeout", `nothing was heard for ${this.#options.silenceTimeoutMs} ms`);
    }
    this.#hasHeard = false;
    this.#socket.ping();
  };

  readonly #onMessage = (data: Buffer | ArrayBuffer | Buffer[], isBinary: boolean): void => {
    this.#hasHeard = true;
    if (this.#isOver || isBinary || !Buffer.isBuffer(data)) return;
    this.#options.onMessage(data.toString("utf8"));
  };

  readonly #onRefused = (_request: unknown, response: IncomingMessage): void => {
    const status = response.statusCode ?? 0;
    response.resume();
    this.#fail("status", `refused the connection with status ${status}`, {
      status,
      retryAfterMs: readRetryAfterMs(response.headers["retry-after"]),
    });
  };

  readonly #onError = (error: Error): void => {
    const isTimeout = error.message === "Opening handshake has timed out";
    this.#fail(isTimeout ? "timeout" : "connection", error.message, { cause: error });
  };

  readonly #onClose = (code: number, reason: Buffer): void => {
    const detail = reason.length > 0 ? `: ${reason.toString("utf8")}` : "";
    if (code === POLICY_VIOLATION_CODE)
      return this.#fail("status", `refused what it was sent${detail}`, { status: code });
    this.#fail("connection", `the connection was closed with code ${code}${detail}`);
  };

  #fail(
    kind: ProviderError["kind"],
    message: string,
    more: Pick<ProviderErrorOptions, "status" | "retryAfterMs" | "cause"> = {},
  ): void {
    if (this.#isOver) return;
    this.#finish();
    this.#socket.terminate();
    const isRetryable = more.status === undefined || isRetryableStatus(more.status);
    this.#options.onFailed(
      new ProviderError({ provider: this.#options.provider, kind, message, isRetryable, ...more }),
    );
  }

  #finish(): void {
    this.#isOver = true;
    clearInterval(this.#heartbeat);
  }
}

/** Excludes 429: a rate limit lasts longer than a turn can wait. */
function isRetryableStatus(status: number): boolean {
  return status === 408 || (status >= 500 && status < 600);
}

/** The JSON object in a message; `undefined` if there is none. */
export function parseJsonObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
