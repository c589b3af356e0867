import type { ProviderError } from "@parley/conversation";
import { ProviderSocket, parseJsonObject } from "../http/provider-socket.ts";

/** The stream that is using a connection. */
export interface ContextHandler {
  onMessage: (message: Record<string, unknown>) => void;
  onFailed: (error: ProviderError) => void;
}

/** How a vendor multiplexes replies over a WebSocket. */
export interface ContextProtocol {
  headers: Record<string, string>;
  /** The context of a message; `undefined` for messages about no context. */
  contextOf: (message: Record<string, unknown>) => string | undefined;
  /** Whether no further message of the context follows. */
  isLast: (message: Record<string, unknown>) => boolean;
  /** Abandoned contexts that may still be sending on a connection before it is lent again. */
  maxDrainingContexts: number;
  /** Shorter than the vendor's. */
  idleTimeoutMs: number;
}

export interface ConnectionOptions {
  provider: string;
  protocol: ContextProtocol;
  connectTimeoutMs: number;
  silenceTimeoutMs: number;
}

/**
 * One WebSocket of many contexts, used by one stream at a time, so that pausing it delays no other stream. An interrupted
 * context may continue to send after its stream is gone; its messages are dropped here.
 */
export class ContextConnection {
  /** Whether an earlier stream used it: such a connection may have died unnoticed. */
  isReused = false;
  readonly #socket: ProviderSocket;
  readonly #protocol: ContextProtocol;
  readonly #onIdleTimeout: () => void;
  readonly #draining = new Set<string>();
  #unsent: string[] = [];
  #contextId: string | undefined;
  #handler: ContextHandler | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(url: string, options: ConnectionOptions, onGone: () => void) {
    this.#onIdleTimeout = onGone;
    this.#protocol = options.protocol;
    this.#socket = new ProviderSocket({
      provider: options.provider,
      url,
      headers: options.protocol.headers,
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
    return this.#handler === undefined && this.#draining.size < this.#protocol.maxDrainingContexts;
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
    }, this.#protocol.idleTimeoutMs);
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
    if (message === undefined) return;
    const contextId = this.#protocol.contextOf(message);
    if (contextId === undefined) return;
    if (contextId === this.#contextId) this.#handler?.onMessage(message);
    else if (this.#protocol.isLast(message)) this.#draining.delete(contextId);
  }
}

/** Connections by URL, which determines voice, language and format. */
export class ConnectionPool {
  readonly #options: ConnectionOptions;
  readonly #connections = new Map<string, Set<ContextConnection>>();

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  lend(url: string, contextId: string, handler: ContextHandler, mustBeFresh: boolean): ContextConnection {
    const known = this.#connections.get(url) ?? new Set();
    this.#connections.set(url, known);
    let connection = mustBeFresh ? undefined : [...known].find((each) => each.canBeLent);
    if (connection === undefined) {
      const opened: ContextConnection = new ContextConnection(url, this.#options, () => {
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
  discard(connection: ContextConnection): void {
    connection.close();
    for (const known of this.#connections.values()) known.delete(connection);
  }

  close(): void {
    for (const known of this.#connections.values()) for (const connection of known) connection.close();
    this.#connections.clear();
  }
}
