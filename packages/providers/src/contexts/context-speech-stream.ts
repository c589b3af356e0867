import { randomUUID } from "node:crypto";
import {
  ProviderError,
  type TextToSpeechEvent,
  type TextToSpeechOptions,
  type TextToSpeechStream,
  toProviderError,
} from "@parley/conversation";
import type { ConnectionPool, ContextConnection } from "./connection-pool.ts";

type Message = Record<string, unknown>;

/** How a vendor speaks one reply in a context. */
export interface ReplyProtocol {
  /** Messages that open the context. */
  open: () => readonly Message[];
  speak: (text: string) => readonly Message[];
  /** Message after the last text. */
  end: () => Message;
  /** Message that drops the rest; `undefined` if it must not be sent after the end. */
  cancel: (hasEnded: boolean) => Message | undefined;
  /** Assigns audio to clauses. */
  tracker: ReplyTracker;
}

export interface ReplyTracker {
  /** Whether a clause has not been spoken to its end. */
  readonly isWaiting: boolean;
  add(clauseId: number, text: string): void;
  /** The events of a message. Throws a `ProviderError` if the vendor reports one. */
  read(message: Message): TextToSpeechEvent[];
  /** Ends the remaining clauses, because no audio follows. */
  finish(): TextToSpeechEvent[];
}

export interface ContextSpeechOptions {
  provider: string;
  url: string;
  pool: ConnectionPool;
  protocol: ReplyProtocol;
  isLast: (message: Message) => boolean;
  /** Maximum wait for an audio chunk of a clause. */
  audioTimeoutMs: number;
  reply: TextToSpeechOptions;
}

/**
 * Maximum pause before reading continues: the vendor's pings wait behind unread audio, and a connection with unanswered
 * pings is closed. The rest of one reply limits what then arrives early.
 */
const MAX_PAUSE_MS = 15_000;

/** Wait for audio after which an abandoned connection is not reused. */
const SUSPECT_AFTER_MS = 1_000;

/** One reply: a context on a connection of its own. */
export class ContextSpeechStream implements TextToSpeechStream {
  readonly #options: ContextSpeechOptions;
  readonly #tracker: ReplyTracker;
  #connection: ContextConnection;
  /** Text sent before the first audio, which can be sent again until then. */
  #unheard: string[] = [];
  #hasEnded = false;
  #isOver = false;
  #hasAudio = false;
  #audioTimer: NodeJS.Timeout | undefined;
  /** Time since which audio is awaited; `undefined` if it is not. */
  #waitingSinceMs: number | undefined;
  #pauseTimer: NodeJS.Timeout | undefined;

  constructor(options: ContextSpeechOptions) {
    this.#options = options;
    this.#tracker = options.protocol.tracker;
    this.#connection = this.#openContext(false);
  }

  speak(clauseId: number, text: string): void {
    if (this.#isOver || this.#hasEnded) return;
    this.#tracker.add(clauseId, text);
    if (!this.#hasAudio) this.#unheard.push(text);
    this.#send(text);
    this.#expectAudio();
  }

  end(): void {
    if (this.#isOver || this.#hasEnded) return;
    this.#hasEnded = true;
    this.#connection.send(this.#options.protocol.end());
    this.#expectAudio();
  }

  pause(): void {
    if (this.#isOver) return;
    this.#stopWaiting();
    clearTimeout(this.#pauseTimer);
    this.#pauseTimer = setTimeout(() => this.resume(), MAX_PAUSE_MS);
    this.#connection.pause();
  }

  resume(): void {
    if (this.#isOver) return;
    clearTimeout(this.#pauseTimer);
    this.#pauseTimer = undefined;
    this.#connection.resume();
    this.#expectAudio();
  }

  close(): void {
    if (this.#isOver) return;
    if (performance.now() - (this.#waitingSinceMs ?? Infinity) > SUSPECT_AFTER_MS) return this.#discard();
    const cancel = this.#options.protocol.cancel(this.#hasEnded);
    if (cancel !== undefined) this.#connection.send(cancel);
    this.#leave(false);
  }

  #openContext(mustBeFresh: boolean): ContextConnection {
    const { pool, url, protocol } = this.#options;
    const connection = pool.lend(
      url,
      randomUUID(),
      { onMessage: (message) => this.#onMessage(message), onFailed: (error) => this.#onFailed(error) },
      mustBeFresh,
    );
    for (const message of protocol.open()) connection.send(message);
    return connection;
  }

  #send(text: string): void {
    for (const message of this.#options.protocol.speak(text)) this.#connection.send(message);
  }

  /** Starts the wait for audio. More text does not extend a wait that has begun. */
  #expectAudio(): void {
    if (this.#waitingSinceMs !== undefined || this.#pauseTimer !== undefined) return;
    if (!this.#tracker.isWaiting && !this.#hasEnded) return;
    this.#waitingSinceMs = performance.now();
    this.#audioTimer = setTimeout(() => this.#onStall(), this.#options.audioTimeoutMs);
  }

  #onMessage(message: Message): void {
    const { isLast, reply } = this.#options;
    let events: TextToSpeechEvent[];
    try {
      events = this.#tracker.read(message);
    } catch (error) {
      return this.#onRefused(toProviderError(error, this.#options.provider));
    }
    if (events.some(({ type }) => type === "audio")) {
      this.#hasAudio = true;
      this.#unheard = [];
    }
    for (const event of events) if (!this.#isOver) reply.onEvent(event);
    if (this.#isOver) return;
    if (events.length > 0) {
      this.#stopWaiting();
      this.#expectAudio();
    }
    if (!isLast(message)) return;
    this.#leave(true);
    for (const event of this.#tracker.finish()) reply.onEvent(event);
    reply.onEvent({ type: "ended" });
  }

  #onRefused(error: ProviderError): void {
    this.#discard();
    this.#options.reply.onEvent({ type: "failed", error });
  }

  #onStall(): void {
    const { provider, audioTimeoutMs, reply } = this.#options;
    this.#discard();
    const message = `no audio for ${audioTimeoutMs} ms`;
    reply.onEvent({
      type: "failed",
      error: new ProviderError({ provider, kind: "timeout", message, isRetryable: true }),
    });
  }

  /**
   * Handles a lost connection. A pooled connection may turn out dead when reused: the reply then starts again without
   * failing.
   */
  #onFailed(error: ProviderError): void {
    if (this.#connection.isReused && !this.#hasAudio && error.kind !== "status") {
      this.#connection = this.#openContext(true);
      for (const text of this.#unheard) this.#send(text);
      if (this.#hasEnded) this.#connection.send(this.#options.protocol.end());
      return;
    }
    this.#finish();
    this.#options.reply.onEvent({ type: "failed", error });
  }

  #leave(isFinal: boolean): void {
    this.#finish();
    this.#connection.release(isFinal);
  }

  /** Discards the connection, because its next user would wait as long. */
  #discard(): void {
    this.#finish();
    this.#options.pool.discard(this.#connection);
  }

  #finish(): void {
    this.#isOver = true;
    this.#stopWaiting();
    clearTimeout(this.#pauseTimer);
  }

  #stopWaiting(): void {
    clearTimeout(this.#audioTimer);
    this.#waitingSinceMs = undefined;
  }
}

/** Samples of base64 with 16 bits, little-endian. */
export function decodePcm(base64: string): Int16Array {
  const pcm = new Int16Array(Math.floor(Buffer.byteLength(base64, "base64") / 2));
  Buffer.from(pcm.buffer).write(base64, "base64");
  return pcm;
}
