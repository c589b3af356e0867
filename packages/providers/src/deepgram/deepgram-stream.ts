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

/**
 * Audio per message. Five frames of 20 ms make a fifth of the messages and delay partials by less than their own
 * latency.
 */
const MESSAGE_MS = 100;
/** The same between utterances, which are most of a call: no text is expected, and the next utterance sends at once what waits. */
const IDLE_MESSAGE_MS = 500;
/** Maximum wait of audio for the connection or the network; older audio is dropped. */
const MAX_BACKLOG_MS = 2_000;
/** Maximum length of a single write: an utterance replayed after another connection failed. */
const MAX_REPLAY_MS = 20_000;
/** Deepgram closes after 10 s without audio and recommends a `KeepAlive` every 3–5 s. */
const KEEP_ALIVE_INTERVAL_MS = 4_000;
/**
 * Maximum wait for the answer to `Finalize`, which Deepgram may omit when it has little audio. The known text counts
 * then.
 */
const FINALIZE_TIMEOUT_MS = 800;
/** Consecutive attempts to connect before the stream fails. */
const MAX_ATTEMPTS = 3;
const RETRY_DELAY_MS = 250;

/** One message to send. */
interface Message {
  /** Little-endian samples, the byte order of every supported machine. */
  audio: Int16Array;
  /** Bytes filled. */
  length: number;
  /** Time at which its first sample was written. */
  sinceMs: number;
}

interface PendingFlush {
  id: number;
  /** Runs from `Finalize` on; before the connection is open its own deadline limits the wait. */
  timer: NodeJS.Timeout | undefined;
}

/** The recognizer of one call. A lost connection is reported once and reopened; see `#onFailed`. */
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
  /** A message whose memory is reused: usually there is only one. */
  #spare: Message | undefined;
  #isInUtterance = false;
  /** Audio sent on this connection: the clock of Deepgram's times. */
  #sentBytes = 0;
  #droppedBytes = 0;
  #hasSentSinceKeepAlive = false;
  #flush: PendingFlush | undefined;
  /** Unanswered `Finalize` messages; only the answer to the last one covers all audio. */
  #openFinalizes = 0;
  #hasResultSinceFinalize = false;
  /** Consecutive flushes without any message from Deepgram. */
  #silentFlushes = 0;

  constructor(options: DeepgramStreamOptions) {
    this.#options = options;
    this.#bytesPerMs = (options.sampleRateHz * 2) / 1000;
    this.#keepAlive = setInterval(() => this.#sendKeepAlive(), KEEP_ALIVE_INTERVAL_MS);
    this.#connect();
  }

  /** Audio that was never sent, because the connection was not open or did not accept it. */
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
    const dueMs = this.#isInUtterance ? MESSAGE_MS : IDLE_MESSAGE_MS;
    if (this.#waitingBytes >= dueMs * this.#bytesPerMs) this.#sendAudio();
  }

  startUtterance(leadMs: number): void {
    const writtenMs = (this.#sentBytes + this.#waitingBytes) / this.#bytesPerMs;
    this.#transcript.start(Math.max(0, writtenMs - leadMs) / 1000);
    this.#isInUtterance = true;
    this.#sendAudio();
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
    this.#isInUtterance = false;
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
   * Keeps the text recognized so far; audio since then is lost with the connection, and the new one counts its time
   * from zero. A refusal, or too many consecutive attempts, ends the stream.
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
    if (error.isRetryable && this.#attempts < MAX_ATTEMPTS) {
      this.#retry = setTimeout(() => this.#connect(), RETRY_DELAY_MS * 2 ** this.#attempts);
    } else {
      clearInterval(this.#keepAlive);
    }
    if (isFirst || wasFlushing) this.#options.onEvent({ type: "failed", error });
  }

  #finalize(flush: PendingFlush): void {
    flush.timer = setTimeout(() => this.#onFlushTimeout(), FINALIZE_TIMEOUT_MS);
    this.#sendAudio();
    this.#openFinalizes++;
    this.#hasResultSinceFinalize = false;
    this.#socket?.send(JSON.stringify({ type: "Finalize" }));
  }

  /**
   * Answers with the known text. Nothing known and no message received is not an answer: a connection without a message
   * twice in a row, or for a whole utterance, has stalled even if its pings are answered.
   */
  #onFlushTimeout(): void {
    const isKnown = this.#hasResultSinceFinalize || this.#transcript.text !== "";
    this.#silentFlushes = this.#hasResultSinceFinalize ? 0 : this.#silentFlushes + 1;
    const isStalled = !isKnown || this.#silentFlushes > 1;
    if (isKnown) this.#answerFlush();
    if (!isStalled || this.#isClosed) return;
    this.#socket?.close();
    const { provider } = this.#options;
    const message = `no answer to a Finalize within ${FINALIZE_TIMEOUT_MS} ms`;
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
    if (this.#socket.bufferedBytes > MAX_BACKLOG_MS * this.#bytesPerMs) return;
    this.#sentBytes += this.#waitingBytes;
    this.#hasSentSinceKeepAlive = true;
    // Copied, because the socket masks its data in place (RFC 6455 §5.3).
    for (const { audio, length } of this.#waiting) this.#socket.send(Buffer.from(audio.buffer, 0, length));
    this.#spare = this.#waiting[0];
    this.#waiting = [];
    this.#waitingBytes = 0;
  }

  /** Copies a frame into the waiting messages, because callers reuse their frames. */
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
    const bytes = Math.max(leastBytes, IDLE_MESSAGE_MS * this.#bytesPerMs);
    const audio =
      spare !== undefined && spare.audio.byteLength >= bytes
        ? spare.audio
        : new Int16Array(bytes / Int16Array.BYTES_PER_ELEMENT);
    return { audio, length: 0, sinceMs: this.#options.now() };
  }

  #dropOldAudio(): void {
    const tooOldMs = this.#options.now() - MAX_BACKLOG_MS;
    for (let oldest = this.#waiting[0]; oldest !== undefined; oldest = this.#waiting[0]) {
      if (oldest.sinceMs > tooOldMs && this.#waitingBytes <= MAX_REPLAY_MS * this.#bytesPerMs) return;
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
