import { deserialize, serialize } from "node:v8";
import type { InferenceMethod, InferenceMethods } from "./methods.ts";

/** A `ProviderError` as plain data. */
export interface ErrorData {
  provider: string;
  kind: "connection" | "timeout" | "status";
  message: string;
  status: number | undefined;
  isRetryable: boolean;
}

export interface MethodRequest<M extends InferenceMethod> {
  type: "request";
  id: number;
  method: M;
  params: InferenceMethods[M]["params"];
}

/** Client to server. Ids increase per connection. */
export type RequestMessage =
  | { [M in InferenceMethod]: MethodRequest<M> }[InferenceMethod]
  | { type: "cancel"; id: number };

/**
 * Server to client: chunks in order, then one result or error; nothing after a cancel. The contents are typed by the
 * method of the request with that id, which the message does not repeat.
 */
export type ReplyMessage<Content = never> =
  | { type: "chunk"; id: number; chunk: Content }
  | { type: "result"; id: number; result: Content }
  | { type: "error"; id: number; error: ErrorData };

/** Maximum size of a message; a minute of 16 kHz audio is 2 MB. */
const MAX_FRAME_BYTES = 32 * 1024 * 1024;
/** Maximum of unread data in a socket. */
export const MAX_UNSENT_BYTES = 64 * 1024 * 1024;
const HEADER_BYTES = 4;

/** Encodes a frame: the payload's length (32 bits, big-endian), then the payload in V8's serialization format. */
export function encodeFrame<M extends InferenceMethod>(
  message: MethodRequest<M> | { type: "cancel"; id: number } | ReplyMessage<unknown>,
): Buffer {
  const payload = serialize(message);
  if (payload.length > MAX_FRAME_BYTES) throw new RangeError(`a message of ${payload.length} bytes`);
  const frame = Buffer.allocUnsafe(HEADER_BYTES + payload.length);
  frame.writeUInt32BE(payload.length);
  payload.copy(frame, HEADER_BYTES);
  return frame;
}

/** Splits a byte stream into frames. Both ends are processes of one installation, so payloads are trusted. */
export class FrameReader<Message> {
  #chunks: Buffer[] = [];
  #bytes = 0;

  /**
   * @returns The messages completed by this chunk.
   * @throws {RangeError} on a frame longer than any message may be.
   */
  push(chunk: Buffer): Message[] {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    const messages: Message[] = [];
    for (let frame = this.#take(); frame !== undefined; frame = this.#take())
      messages.push(deserialize(frame));
    return messages;
  }

  #take(): Buffer | undefined {
    if (this.#bytes < HEADER_BYTES) return undefined;
    const head = this.#join(HEADER_BYTES);
    const length = head.readUInt32BE();
    if (length > MAX_FRAME_BYTES) throw new RangeError(`a frame of ${length} bytes`);
    const end = HEADER_BYTES + length;
    if (this.#bytes < end) return undefined;
    const whole = this.#join(end);
    this.#chunks[0] = whole.subarray(end);
    this.#bytes -= end;
    return whole.subarray(HEADER_BYTES, end);
  }

  /** Joins only as many chunks as contain these bytes, so that a long frame is copied once and not per chunk. */
  #join(bytes: number): Buffer {
    const first = this.#chunks[0];
    if (first !== undefined && first.length >= bytes) return first;
    const joined = Buffer.concat(this.#chunks, this.#bytes);
    this.#chunks = [joined];
    return joined;
  }
}
