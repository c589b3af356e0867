/** The largest message accepted from a stream: the maximum size of a datagram (RFC 3261 §18.1.1). */
const MAX_MESSAGE_BYTES = 65_535;
/** Data that is not SIP is detected within this length. */
const MAX_START_LINE_BYTES = 8_192;
const FIRST_CAPACITY_BYTES = 4_096;

const CR = 0x0d;
const LF = 0x0a;

/** `crlf`: one empty line between two messages, half of a keep-alive (RFC 5626 §3.5.1). */
export type Frame = { kind: "message"; data: Buffer } | { kind: "crlf" };

/** The frames completed by a chunk; after a `failure` the rest of the stream is unusable. */
export interface FramerResult {
  frames: Frame[];
  failure?: string;
}

/** Splits a stream into messages by their Content-Length (RFC 3261 §18.3). Buffers at most one message. */
export class StreamFramer {
  #buffer = Buffer.allocUnsafe(FIRST_CAPACITY_BYTES);
  #length = 0;
  /** Position up to which the end of the header fields was searched. */
  #searched = 0;
  /** Length of the incoming message's start line with its end; 0 until it is complete. */
  #startLineLength = 0;
  /** Length of the incoming message; 0 until its header fields are complete. */
  #messageLength = 0;

  /** True if a message has begun and is incomplete. */
  get isMidMessage(): boolean {
    return this.#length > 0;
  }

  push(chunk: Buffer): FramerResult {
    this.#append(chunk);
    const frames: Frame[] = [];
    let start = 0;
    for (;;) {
      const next = this.#takeFrame(start);
      if (next === undefined) break;
      if ("failure" in next) return { frames, failure: next.failure };
      frames.push(next.frame);
      start = next.end;
      this.#searched = start;
      this.#startLineLength = 0;
      this.#messageLength = 0;
    }
    this.#drop(start);
    return { frames };
  }

  #takeFrame(start: number): { frame: Frame; end: number } | { failure: string } | undefined {
    if (start >= this.#length) return undefined;
    if (this.#buffer[start] === CR) {
      if (start + 1 >= this.#length) return undefined;
      if (this.#buffer[start + 1] === LF) return { frame: { kind: "crlf" }, end: start + 2 };
    }
    if (this.#messageLength === 0) {
      const failure = this.#readHead(start);
      if (failure !== undefined) return { failure };
    }
    const end = start + this.#messageLength;
    if (this.#messageLength === 0 || end > this.#length) return undefined;
    // Copied, because the buffer is reused.
    return {
      frame: { kind: "message", data: Buffer.from(this.#buffer.subarray(start, end)) },
      end,
    };
  }

  /** Finds the length of the message that begins here; returns the reason if the stream cannot be framed. */
  #readHead(start: number): string | undefined {
    const bytes = this.#buffer.subarray(start, this.#length);
    // Each byte is scanned once, for every number of chunks; the separator may begin in the previous chunk.
    const from = Math.max(0, this.#searched - start - 3);
    this.#searched = this.#length;
    if (this.#startLineLength === 0) {
      const lineEnd = bytes.subarray(0, MAX_START_LINE_BYTES).indexOf("\r\n", from);
      if (lineEnd === -1) return bytes.length >= MAX_START_LINE_BYTES ? "not SIP" : undefined;
      const startLine = bytes.toString("latin1", 0, lineEnd);
      if (!/^SIP\/\d+\.\d+ | SIP\/\d+\.\d+$/i.test(startLine)) return "not SIP";
      this.#startLineLength = lineEnd + 2;
    }
    const headEnd = bytes.indexOf("\r\n\r\n", from);
    if (headEnd === -1) return bytes.length > MAX_MESSAGE_BYTES ? "header fields too large" : undefined;
    const bodyLength = contentLengthOf(bytes.toString("latin1", this.#startLineLength - 2, headEnd + 2));
    // §20.14: over a stream, only Content-Length marks the end of a message.
    if (bodyLength === undefined) return "missing or invalid Content-Length";
    this.#messageLength = headEnd + 4 + bodyLength;
    return this.#messageLength > MAX_MESSAGE_BYTES ? "message too large" : undefined;
  }

  #append(chunk: Buffer): void {
    const needed = this.#length + chunk.length;
    if (needed > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, this.#buffer.length * 2));
      this.#buffer.copy(larger, 0, 0, this.#length);
      this.#buffer = larger;
    }
    chunk.copy(this.#buffer, this.#length);
    this.#length = needed;
  }

  /** Drops the consumed bytes, and shrinks the buffer after a burst. */
  #drop(count: number): void {
    if (count === 0) return;
    this.#length -= count;
    this.#searched = Math.max(0, this.#searched - count);
    if (this.#length <= FIRST_CAPACITY_BYTES && this.#buffer.length > FIRST_CAPACITY_BYTES) {
      const smaller = Buffer.allocUnsafe(FIRST_CAPACITY_BYTES);
      this.#buffer.copy(smaller, 0, count, count + this.#length);
      this.#buffer = smaller;
    } else this.#buffer.copyWithin(0, count, count + this.#length);
  }
}

/** The value of Content-Length, also in compact form (§7.3.3); `undefined` if missing, or if two values differ. */
function contentLengthOf(head: string): number | undefined {
  const values = Array.from(
    head.matchAll(/\r\n(?:content-length|l)[ \t]*:[ \t]*(?:\r\n[ \t]+)?([^\r\n]*)/gi),
    (match) => (match[1] ?? "").trim(),
  );
  const [first] = values;
  if (first === undefined || !/^\d{1,9}$/.test(first)) return undefined;
  return values.every((each) => each === first) ? Number(first) : undefined;
}
