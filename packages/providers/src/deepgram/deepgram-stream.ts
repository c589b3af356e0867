import {
  ProviderError,
  type SampleRateHz,
  type SpeechToTextEvent,
  type SpeechToTextStream,
} from "@parley/conversation";
import { ProviderSocket, parseJsonObject } from "../http/provider-socket.ts";
import { UtteranceTranscript, readResults } from "./deepgram-results.ts";

export interface DeepgramStreamOptions {
  provider: string;
  url: string;
  apiKey: string;
  sampleRateHz: SampleRateHz;
  connectTimeoutMs: number;
  silenceTimeoutMs: number;
  onEvent: (event: SpeechToTextEvent) => void;
  /** Monotonic milliseconds. */
  now: () => number;
}

/** Frames of 20 ms go out five at a time: a fifth of the messages, and partials lose less than they take to come. */
const messageMs = 100;
/** Audio that waits longer than this, for the connection or for the network, is dropped. */
const maxBacklogMs = 2_000;
/** What may be written at once: an utterance that another connection lost, heard again. */
const maxReplayMs = 20_000;
/** Deepgram closes after 10 s without audio and advises a `KeepAlive` every 3–5 s. */
const keepAliveMs = 4_000;
/** `Finalize` is not always answered: with little audio at hand Deepgram may stay silent, and what is known then counts. */
const finalizeTimeoutMs = 800;
/** Attempts to connect in a row before the stream gives up. */
const maxAttempts = 3;
const retryDelayMs = 250;

/** What goes out as one message. */
interface Message {
  /** As it goes out: little-endian, as every machine is that we run on. */
  audio: Int16Array;
  /** Bytes of it that are filled. */
  length: number;
  /** When the first of it was written. */
  sinceMs: number;
}

interface PendingFlush {
  id: number;
  /** Runs from the `Finalize` on; before there is a connection its own deadline bounds the wait. */
  timer: NodeJS.Timeout | undefined;
}

/** One call's recogniser. A lost connection is reported once and opened again; see `#onFailed`. */
export class DeepgramStream implements SpeechToTextStream {
  readonly #options: DeepgramStreamOptions;
  readonly #transcript = new UtteranceTranscript();
  readonly #keepAlive: NodeJS.Timeout;
  readonly #bytesPerMs: number;
  #socket: ProviderSocket | undefined;
  #retry: NodeJS.Timeout | undefined;
  #attempts = 0;
  #failure: ProviderError | undefined;
  #isClosed = false;
  #waiting: Message[] = [];
  #waitingBytes = 0;
  /** Its memory is used again: most of the time there is just one message. */
  #spare: Message | undefined;
  /** Audio sent on this connection: the clock that Deepgram's times refer to. */
  #sentBytes = 0;
  #droppedBytes = 0;
  #hasSentSinceKeepAlive = false;
  #flush: PendingFlush | undefined;
  /** `Finalize` messages that are not answered yet; only the answer to the last one is about all the audio. */
  #openFinalizes = 0;
  #hasResultSinceFinalize = false;
  /** In a row, with not a word from the vendor. */
  #silentFlushes = 0;

  constructor(options: DeepgramStreamOptions) {
    this.#options = options;
    this.#bytesPerMs = (options.sampleRateHz * 2) / 1000;
    this.#keepAlive = setInterval(() => this.#sendKeepAlive(), keepAliveMs);
    this.#connect();
  }

  /** Audio that was never sent, because the connection was not there or did not take it. */
  get droppedMs(): number {
    return this.#droppedBytes / this.#bytesPerMs;
  }

  write(pcm: Int16Array): void {
    if (this.#isClosed) return;
    if (this.#failure !== undefined && this.#socket === undefined && this.#retry === undefined) {
      this.#droppedBytes += pcm.byteLength;
      return;
    }
    this.#keep(pcm);
    this.#dropOldAudio();
    if (this.#waitingBytes >= messageMs * this.#bytesPerMs) this.#sendAudio();
  }

  startUtterance(leadMs: number): void {
    const writtenMs = (this.#sentBytes + this.#waitingBytes) / this.#bytesPerMs;
    this.#transcript.start(Math.max(0, writtenMs - leadMs) / 1000);
  }

  flush(flushId: number): void {
    if (this.#isClosed) return;
    clearTimeout(this.#flush?.timer);
    if (this.#failure !== undefined && !this.#isConnected) {
      return this.#options.onEvent({ type: "failed", error: this.#failure });
    }
    this.#flush = { id: flushId, timer: undefined };
    if (this.#isConnected) this.#finalize(this.#flush);
  }

  endUtterance(): void {
    clearTimeout(this.#flush?.timer);
    this.#flush = undefined;
    this.#transcript.clear();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#keepAlive);
    clearTimeout(this.#retry);
    clearTimeout(this.#flush?.timer);
    this.#socket?.send(JSON.stringify({ type: "CloseStream" }));
    this.#socket?.close();
  }

  get #isConnected(): boolean {
    return this.#socket?.isOpen === true;
  }

  #connect(): void {
    this.#retry = undefined;
    this.#attempts++;
    this.#socket = new ProviderSocket({
      provider: this.#options.provider,
      url: this.#options.url,
      headers: { Authorization: `Token ${this.#options.apiKey}` },
      connectTimeoutMs: this.#options.connectTimeoutMs,
      silenceTimeoutMs: this.#options.silenceTimeoutMs,
      onOpen: () => this.#onOpen(),
      onMessage: (text) => this.#onMessage(text),
      onFailed: (error) => this.#onFailed(error),
    });
  }

  #onOpen(): void {
    this.#attempts = 0;
    this.#failure = undefined;
    this.#sendAudio();
    if (this.#flush !== undefined) this.#finalize(this.#flush);
  }

  #onMessage(text: string): void {
    const results = readResults(parseJsonObject(text) ?? {});
    if (results === undefined) return;
    this.#hasResultSinceFinalize = true;
    this.#silentFlushes = 0;
    this.#transcript.add(results);
    if (results.isFromFinalize) {
      this.#openFinalizes = Math.max(0, this.#openFinalizes - 1);
      if (this.#openFinalizes === 0 && this.#flush !== undefined) return this.#answerFlush();
    }
    if (results.words.length > 0) this.#options.onEvent({ type: "partial", text: this.#transcript.text });
  }

  /**
   * What was recognised so far stays; audio since then is lost with the connection, and the new one counts its time
   * from zero. A refusal, or too many attempts in a row, ends the stream for good.
   */
  #onFailed(error: ProviderError): void {
    const isFirst = this.#failure === undefined;
    this.#failure = error;
    this.#socket = undefined;
    this.#sentBytes = 0;
    this.#openFinalizes = 0;
    this.#silentFlushes = 0;
    this.#transcript.rebase();
    const wasFlushing = this.#flush !== undefined;
    clearTimeout(this.#flush?.timer);
    this.#flush = undefined;
    if (error.isRetryable && this.#attempts < maxAttempts) {
      this.#retry = setTimeout(() => this.#connect(), retryDelayMs * 2 ** this.#attempts);
    } else {
      clearInterval(this.#keepAlive);
    }
    if (isFirst || wasFlushing) this.#options.onEvent({ type: "failed", error });
  }

  #finalize(flush: PendingFlush): void {
    flush.timer = setTimeout(() => this.#onFlushTimeout(), finalizeTimeoutMs);
    this.#sendAudio();
    this.#openFinalizes++;
    this.#hasResultSinceFinalize = false;
    this.#socket?.send(JSON.stringify({ type: "Finalize" }));
  }

  /**
   * What is known counts as the answer; nothing known and nothing heard is no answer at all. A connection on which nothing
   * was heard twice in a row, or nothing at all of an utterance, has stalled, although its pings are answered.
   */
  #onFlushTimeout(): void {
    const isKnown = this.#hasResultSinceFinalize || this.#transcript.text !== "";
    this.#silentFlushes = this.#hasResultSinceFinalize ? 0 : this.#silentFlushes + 1;
    const isStalled = !isKnown || this.#silentFlushes > 1;
    if (isKnown) this.#answerFlush();
    if (!isStalled || this.#isClosed) return;
    this.#socket?.close();
    const { provider } = this.#options;
    const message = `no answer to a Finalize within ${finalizeTimeoutMs} ms`;
    this.#onFailed(new ProviderError({ provider, kind: "timeout", message, isRetryable: true }));
  }

  #answerFlush(): void {
    const flush = this.#flush;
    if (flush === undefined) return;
    clearTimeout(flush.timer);
    this.#flush = undefined;
    this.#openFinalizes = 0;
    this.#options.onEvent({ type: "flushed", flushId: flush.id, ...this.#transcript.heard });
  }

  #sendAudio(): void {
    if (this.#socket === undefined || !this.#isConnected || this.#waitingBytes === 0) return;
    if (this.#socket.bufferedBytes > maxBacklogMs * this.#bytesPerMs) return;
    this.#sentBytes += this.#waitingBytes;
    this.#hasSentSinceKeepAlive = true;
    // The socket masks what it sends (RFC 6455 section 5.3), into memory of its own.
    for (const { audio, length } of this.#waiting) this.#socket.send(Buffer.from(audio.buffer, 0, length));
    this.#spare = this.#waiting[0];
    this.#waiting = [];
    this.#waitingBytes = 0;
  }

  /** Copies a frame behind what waits: callers use their frames again. */
  #keep(pcm: Int16Array): void {
    let message = this.#waiting.at(-1);
    if (message === undefined || message.length + pcm.byteLength > message.audio.byteLength) {
      message = this.#newMessage(pcm.byteLength);
      this.#waiting.push(message);
    }
    message.audio.set(pcm, message.length / pcm.BYTES_PER_ELEMENT);
    message.length += pcm.byteLength;
    this.#waitingBytes += pcm.byteLength;
  }

  #newMessage(leastBytes: number): Message {
    const spare = this.#spare;
    this.#spare = undefined;
    const bytes = Math.max(leastBytes, messageMs * this.#bytesPerMs);
    const audio =
      spare !== undefined && spare.audio.byteLength >= bytes
        ? spare.audio
        : new Int16Array(bytes / Int16Array.BYTES_PER_ELEMENT);
    return { audio, length: 0, sinceMs: this.#options.now() };
  }

  #dropOldAudio(): void {
    const tooOldMs = this.#options.now() - maxBacklogMs;
    for (let oldest = this.#waiting[0]; oldest !== undefined; oldest = this.#waiting[0]) {
      if (oldest.sinceMs > tooOldMs && this.#waitingBytes <= maxReplayMs * this.#bytesPerMs) return;
      this.#waiting.shift();
      this.#waitingBytes -= oldest.length;
      this.#droppedBytes += oldest.length;
    }
  }

  #sendKeepAlive(): void {
    if (!this.#hasSentSinceKeepAlive) this.#socket?.send(JSON.stringify({ type: "KeepAlive" }));
    this.#hasSentSinceKeepAlive = false;
  }
}
