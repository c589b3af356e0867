import { randomUUID } from "node:crypto";
import { ProviderError, type TextToSpeechOptions, type TextToSpeechStream } from "@parley/conversation";
import { isObject } from "../http/is-object.ts";
import { ClauseTracker, type Alignment } from "./clause-tracker.ts";
import type { ConnectionPool, ElevenLabsConnection } from "./connection-pool.ts";

export interface ElevenLabsStreamOptions {
  provider: string;
  url: string;
  pool: ConnectionPool;
  /** Maximum wait for an audio chunk of a clause. */
  audioTimeoutMs: number;
  reply: TextToSpeechOptions;
}

/** Range that the vendor accepts; it refuses a context outside it. */
const SPEED_RANGE = [0.7, 1.2] as const;

/**
 * Maximum pause before reading continues: the vendor's pings wait behind unread audio, and a connection with unanswered
 * pings is closed. The rest of one reply limits what then arrives early.
 */
const MAX_PAUSE_MS = 15_000;

/** Wait for audio after which an abandoned connection is not reused. */
const SUSPECT_AFTER_MS = 1_000;

/** One reply: a context on a connection of its own. */
export class ElevenLabsStream implements TextToSpeechStream {
  readonly #options: ElevenLabsStreamOptions;
  readonly #tracker: ClauseTracker;
  #connection: ElevenLabsConnection;
  /** Text sent before the first audio, which can be sent again until then. */
  #unheard: string[] = [];
  #hasEnded = false;
  #isOver = false;
  #hasAudio = false;
  #audioTimer: NodeJS.Timeout | undefined;
  /** Time since which audio is awaited; `undefined` if it is not. */
  #waitingSinceMs: number | undefined;
  #pauseTimer: NodeJS.Timeout | undefined;

  constructor(options: ElevenLabsStreamOptions) {
    this.#options = options;
    this.#tracker = new ClauseTracker(options.reply.sampleRateHz);
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
    this.#connection.send({ close_context: true });
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
    if (!this.#hasEnded) this.#connection.send({ close_context: true });
    this.#leave(false);
  }

  #openContext(mustBeFresh: boolean): ElevenLabsConnection {
    const { pool, url, reply } = this.#options;
    const [slowest, fastest] = SPEED_RANGE;
    const connection = pool.lend(
      url,
      randomUUID(),
      { onMessage: (message) => this.#onMessage(message), onFailed: (error) => this.#onFailed(error) },
      mustBeFresh,
    );
    connection.send({
      text: " ",
      voice_settings: { speed: Math.min(fastest, Math.max(slowest, reply.speed)) },
    });
    return connection;
  }

  #send(text: string): void {
    this.#connection.send({ text: `${text.trim()} `, flush: true });
  }

  /** Starts the wait for audio. More text does not extend a wait that has begun. */
  #expectAudio(): void {
    if (this.#waitingSinceMs !== undefined || this.#pauseTimer !== undefined) return;
    if (!this.#tracker.isWaiting && !this.#hasEnded) return;
    this.#waitingSinceMs = performance.now();
    this.#audioTimer = setTimeout(() => this.#onStall(), this.#options.audioTimeoutMs);
  }

  #onMessage(message: Record<string, unknown>): void {
    const { onEvent } = this.#options.reply;
    if (typeof message["audio"] === "string" && message["audio"] !== "") {
      this.#hasAudio = true;
      this.#unheard = [];
      for (const event of this.#tracker.take(
        decodePcm(message["audio"]),
        readAlignment(message["alignment"]),
      )) {
        if (!this.#isOver) onEvent(event);
      }
      if (this.#isOver) return;
      this.#stopWaiting();
      this.#expectAudio();
    }
    if (message["isFinal"] === true && !this.#isOver) {
      this.#leave(true);
      for (const event of this.#tracker.finish()) onEvent(event);
      onEvent({ type: "ended" });
    }
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
      if (this.#hasEnded) this.#connection.send({ close_context: true });
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

function decodePcm(base64: string): Int16Array {
  const pcm = new Int16Array(Math.floor(Buffer.byteLength(base64, "base64") / 2));
  Buffer.from(pcm.buffer).write(base64, "base64");
  return pcm;
}

function readAlignment(value: unknown): Alignment | undefined {
  if (!isObject(value)) return undefined;
  const { chars, charStartTimesMs, charDurationsMs } = value;
  if (!Array.isArray(chars) || !Array.isArray(charStartTimesMs) || !Array.isArray(charDurationsMs))
    return undefined;
  if (charStartTimesMs.length !== chars.length || charDurationsMs.length !== chars.length) return undefined;
  return {
    chars: chars.map(String),
    startTimesMs: charStartTimesMs.map(Number),
    durationsMs: charDurationsMs.map(Number),
  };
}
