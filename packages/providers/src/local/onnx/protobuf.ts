/**
 * The part of the protocol buffer wire format (protobuf.dev/programming-guides/encoding) that is needed to cut an ONNX
 * model: fields are found and copied as bytes, and only changed ones are decoded.
 */
export interface Field {
  number: number;
  /** The value of a varint field that fits a double; 0 otherwise. */
  varint: number;
  /** The payload of a length-delimited field; empty otherwise. */
  payload: Uint8Array;
  /** The whole field, its tag included. */
  encoded: Uint8Array;
}

/** Bytes to write, or float16 values to write as float32. */
export type Part = Uint8Array | { float16: Uint8Array };

const WIRE_VARINT = 0;
const WIRE_64_BIT = 1;
const WIRE_LENGTH_DELIMITED = 2;
const WIRE_32_BIT = 5;

function readVarint(bytes: Uint8Array, at: number): { value: number; next: number } {
  let value = 0;
  let scale = 1;
  for (let next = at; next < bytes.length; next++) {
    const byte = bytes[next] ?? 0;
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) {
      return { value, next: next + 1 };
    }
    scale *= 128;
  }
  throw new Error("protobuf message ends within a number");
}

/** The fields of one message, in order. */
export function readFields(message: Uint8Array): Field[] {
  const fields: Field[] = [];
  const none = message.subarray(0, 0);
  for (let at = 0; at < message.length;) {
    const tag = readVarint(message, at);
    const wireType = tag.value % 8;
    let varint = 0;
    let payload = none;
    let end: number;
    if (wireType === WIRE_VARINT) {
      ({ value: varint, next: end } = readVarint(message, tag.next));
    } else if (wireType === WIRE_LENGTH_DELIMITED) {
      const length = readVarint(message, tag.next);
      end = length.next + length.value;
      payload = message.subarray(length.next, end);
    } else if (wireType === WIRE_64_BIT || wireType === WIRE_32_BIT) {
      end = tag.next + (wireType === WIRE_64_BIT ? 8 : 4);
    } else {
      throw new Error(`protobuf wire type ${wireType} is not supported`);
    }
    if (end > message.length) {
      throw new Error("protobuf message ends within a field");
    }
    fields.push({ number: Math.floor(tag.value / 8), varint, payload, encoded: message.subarray(at, end) });
    at = end;
  }
  return fields;
}

function encodeVarint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 128) {
    bytes.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  return [...bytes, rest];
}

function partLength(part: Part): number {
  return part instanceof Uint8Array ? part.length : part.float16.length * 2;
}

export function varintField(number: number, value: number): Part {
  return Uint8Array.from([...encodeVarint(number * 8 + WIRE_VARINT), ...encodeVarint(value)]);
}

/** A length-delimited field: text, bytes or a message of these parts. */
export function messageField(number: number, parts: readonly Part[]): Part[] {
  const length = parts.reduce((sum, part) => sum + partLength(part), 0);
  const head = [...encodeVarint(number * 8 + WIRE_LENGTH_DELIMITED), ...encodeVarint(length)];
  return [Uint8Array.from(head), ...parts];
}

export function textField(number: number, text: string): Part[] {
  return messageField(number, [new TextEncoder().encode(text)]);
}

export function decodeText(payload: Uint8Array): string {
  return new TextDecoder().decode(payload);
}

/** Writes the parts one after the other, with float16 values widened, into one allocation of the final size. */
export function joinParts(parts: readonly Part[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + partLength(part), 0));
  let at = 0;
  for (const part of parts) {
    if (part instanceof Uint8Array) {
      out.set(part, at);
    } else {
      // Copied, because payloads may start at odd addresses and typed arrays may not.
      const widened = new Float32Array(new Float16Array(new Uint8Array(part.float16).buffer));
      out.set(new Uint8Array(widened.buffer), at);
    }
    at += partLength(part);
  }
  return out;
}
