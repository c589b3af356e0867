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

/** Client to server. Ids count up per connection. */
export type RequestMessage =
  | { [M in InferenceMethod]: MethodRequest<M> }[InferenceMethod]
  | { type: "cancel"; id: number };

/**
 * Server to client: chunks in order, then one result or error; nothing after a cancel. What they hold is typed
 * by the method of the request with that id, which the message does not repeat.
 */
export type ReplyMessage<Content = never> =
  | { type: "chunk"; id: number; chunk: Content }
  | { type: "result"; id: number; result: Content }
  | { type: "error"; id: number; error: ErrorData };

/** More than any message holds: a minute of 16 kHz audio is 2 MB. */
const maxFrameBytes = 32 * 1024 * 1024;
/** What may wait in a socket for the other side to read it. */
export const maxUnsentBytes = 64 * 1024 * 1024;
const headerBytes = 4;

/** A frame: the payload's length (32 bits, big-endian), then the payload in V8's serialization format. */
export function encodeFrame<M extends InferenceMethod>(
  message: MethodRequest<M> | { type: "cancel"; id: number } | ReplyMessage<unknown>,
): Buffer {
  const payload = serialize(message);
  if (payload.length > maxFrameBytes) throw new RangeError(`a message of ${payload.length} bytes`);
  const frame = Buffer.allocUnsafe(headerBytes + payload.length);
  frame.writeUInt32BE(payload.length);
  payload.copy(frame, headerBytes);
  return frame;
}

/** Cuts a byte stream into frames. Both ends are processes of one installation: payloads are trusted. */
export class FrameReader<Message> {
  #chunks: Buffer[] = [];
  #bytes = 0;

  /**
   * @returns the messages that became complete.
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
    if (this.#bytes < headerBytes) return undefined;
    const head = this.#join(headerBytes);
    const length = head.readUInt32BE();
    if (length > maxFrameBytes) throw new RangeError(`a frame of ${length} bytes`);
    const end = headerBytes + length;
    if (this.#bytes < end) return undefined;
    const whole = this.#join(end);
    this.#chunks[0] = whole.subarray(end);
    this.#bytes -= end;
    return whole.subarray(headerBytes, end);
  }

  /** Joins as few chunks as hold so many bytes, so that a long frame is copied once and not per chunk. */
  #join(bytes: number): Buffer {
    const first = this.#chunks[0];
    if (first !== undefined && first.length >= bytes) return first;
    const joined = Buffer.concat(this.#chunks, this.#bytes);
    this.#chunks = [joined];
    return joined;
  }
}
