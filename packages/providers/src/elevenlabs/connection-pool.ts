import type { ProviderError } from "@parley/conversation";
import { ProviderSocket, parseJsonObject } from "../http/provider-socket.ts";

/** The stream that is using a connection. */
export interface ContextHandler {
  onMessage: (message: Record<string, unknown>) => void;
  onFailed: (error: ProviderError) => void;
}

export interface ConnectionOptions {
  provider: string;
  apiKey: string;
  connectTimeoutMs: number;
  silenceTimeoutMs: number;
}

/** The vendor allows 5 contexts per connection, including closed ones that are still flushing. */
const MAX_DRAINING_CONTEXTS = 4;
/** Shorter than the `inactivity_timeout` of the URL. */
const IDLE_TIMEOUT_MS = 120_000;

/**
 * One multi-context WebSocket, used by one stream at a time, so that pausing it delays no other stream. An interrupted
 * context may continue to send after its stream is gone; its messages are dropped here.
 */
export class ElevenLabsConnection {
  /** Whether an earlier stream used it: such a connection may have died unnoticed. */
  isReused = false;
  readonly #socket: ProviderSocket;
  readonly #onIdleTimeout: () => void;
  readonly #draining = new Set<string>();
  #unsent: string[] = [];
  #contextId: string | undefined;
  #handler: ContextHandler | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(url: string, options: ConnectionOptions, onGone: () => void) {
    this.#onIdleTimeout = onGone;
    this.#socket = new ProviderSocket({
      provider: options.provider,
      url,
      headers: { "xi-api-key": options.apiKey },
      connectTimeoutMs: options.connectTimeoutMs,
      silenceTimeoutMs: options.silenceTimeoutMs,
      onOpen: () => {
        for (const text of this.#unsent) this.#socket.send(text);
        this.#unsent = [];
      },
      onMessage: (text) => this.#onMessage(text),
      onFailed: (error) => {
        this.#isClosed = true;
        clearTimeout(this.#idleTimer);
        onGone();
        this.#handler?.onFailed(error);
      },
    });
  }

  get canBeLent(): boolean {
    return this.#handler === undefined && this.#draining.size < MAX_DRAINING_CONTEXTS;
  }

  lend(contextId: string, handler: ContextHandler): void {
    clearTimeout(this.#idleTimer);
    this.#contextId = contextId;
    this.#handler = handler;
  }

  /** Returns the connection; the context drains if its last message has not arrived. */
  release(isFinal: boolean): void {
    if (this.#contextId !== undefined && !isFinal) this.#draining.add(this.#contextId);
    this.#contextId = undefined;
    this.#handler = undefined;
    this.isReused = true;
    if (this.#isClosed) return;
    this.#socket.resume();
    this.#idleTimer = setTimeout(() => {
      this.close();
      this.#onIdleTimeout();
    }, IDLE_TIMEOUT_MS);
  }

  send(message: Record<string, unknown>): void {
    const text = JSON.stringify({ ...message, context_id: this.#contextId });
    if (this.#socket.isOpen) this.#socket.send(text);
    else this.#unsent.push(text);
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#idleTimer);
    this.#socket.close();
  }

  #onMessage(text: string): void {
    const message = parseJsonObject(text);
    const contextId = message?.["contextId"];
    if (message === undefined || typeof contextId !== "string") return;
    if (contextId === this.#contextId) this.#handler?.onMessage(message);
    else if (message["isFinal"] === true) this.#draining.delete(contextId);
  }
}

/** Connections by URL, which determines voice, language and format. */
export class ConnectionPool {
  readonly #options: ConnectionOptions;
  readonly #connections = new Map<string, Set<ElevenLabsConnection>>();

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  lend(url: string, contextId: string, handler: ContextHandler, mustBeFresh: boolean): ElevenLabsConnection {
    const known = this.#connections.get(url) ?? new Set();
    this.#connections.set(url, known);
    let connection = mustBeFresh ? undefined : [...known].find((each) => each.canBeLent);
    if (connection === undefined) {
      const opened: ElevenLabsConnection = new ElevenLabsConnection(url, this.#options, () => {
        known.delete(opened);
        if (known.size === 0) this.#connections.delete(url);
      });
      connection = opened;
      known.add(connection);
    }
    connection.lend(contextId, handler);
    return connection;
  }

  /** Closes a connection that must not be reused. */
  discard(connection: ElevenLabsConnection): void {
    connection.close();
    for (const known of this.#connections.values()) known.delete(connection);
  }

  close(): void {
    for (const known of this.#connections.values()) for (const connection of known) connection.close();
    this.#connections.clear();
  }
}
