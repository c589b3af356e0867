/**
 * File format of a call's undecoded audio, written by a media process and later encoded into a recording:
 * an eight-byte signature, the sample rate of the recording (32 bits), then records. A record consists of its kind (one
 * byte), its position (32 bits, samples at 48 kHz since the call's first frame), the length of its payload (16 bits), and
 * the payload. Numbers are little-endian. A file may end anywhere, because its writer may have died.
 */
import { closeSync, openSync, readSync } from "node:fs";
import type { CodecName } from "../audio-codec.ts";

export type SpoolCodec = CodecName | "opus";
export type RecordingRateHz = 8000 | 16_000 | 48_000;

/** Samples per millisecond of spool positions, for every codec. */
export const SPOOL_RATE_HZ = 48_000;
export const RECORD_HEADER_BYTES = 7;
export const FILE_HEADER_BYTES = 12;

const MAGIC = "PRLYREC1";
const codecs: readonly SpoolCodec[] = ["PCMU", "PCMA", "G722", "opus"];
/** Added to the codec's index for the caller's audio; 0x20 for the agent's. */
const CALLER = 0x10;
const AGENT = 0x20;
/** Lost packets of the caller. The payload is their duration in samples at 48 kHz (32 bits). */
const LOST = 0x1f;
/** Time mark: the recording lasts at least until its position. */
const TIME = 0x30;
const LOST_PAYLOAD_BYTES = 4;
/** Longer than any call, including time on hold. A position beyond it is invalid. */
const MAX_SAMPLES = 24 * 3600 * SPOOL_RATE_HZ;

export type SpoolRecord = { at: number } & (
  | { type: "caller" | "agent"; codec: SpoolCodec; payload: Uint8Array }
  | { type: "lost"; samples: number }
  | { type: "time" }
);

export interface Spool {
  sampleRateHz: RecordingRateHz;
  /** In the order of writing. Reading stops at the first invalid record. */
  records: Iterable<SpoolRecord>;
}

export function writeFileHeader(out: Buffer, sampleRateHz: RecordingRateHz): void {
  out.write(MAGIC, 0, "latin1");
  out.writeUInt32LE(sampleRateHz, MAGIC.length);
}

/** Writes a record at `offset` of `out`, which must have room for it. Returns the offset after it. */
export function writeRecord(out: Buffer, offset: number, record: SpoolRecord): number {
  const payloadAt = offset + RECORD_HEADER_BYTES;
  out[offset] = kindOf(record);
  out.writeUInt32LE(record.at, offset + 1);
  const length = payloadBytes(record);
  out.writeUInt16LE(length, offset + 5);
  if (record.type === "lost") out.writeUInt32LE(record.samples, payloadAt);
  else if (record.type !== "time") out.set(record.payload, payloadAt);
  return payloadAt + length;
}

export function payloadBytes(record: SpoolRecord): number {
  if (record.type === "time") return 0;
  return record.type === "lost" ? LOST_PAYLOAD_BYTES : record.payload.length;
}

function kindOf(record: SpoolRecord): number {
  if (record.type === "time") return TIME;
  if (record.type === "lost") return LOST;
  return (record.type === "caller" ? CALLER : AGENT) + codecs.indexOf(record.codec);
}

/** `undefined` if the file is not a spool or has no record. Reads lazily and synchronously. */
export function readSpool(file: string): Spool | undefined {
  const header = Buffer.alloc(FILE_HEADER_BYTES);
  const descriptor = openSync(file, "r");
  try {
    if (readSync(descriptor, header, 0, FILE_HEADER_BYTES, 0) < FILE_HEADER_BYTES) return undefined;
  } finally {
    closeSync(descriptor);
  }
  const sampleRateHz = header.readUInt32LE(MAGIC.length);
  if (header.toString("latin1", 0, MAGIC.length) !== MAGIC || !isRecordingRate(sampleRateHz))
    return undefined;
  return { sampleRateHz, records: readRecords(file) };
}

function isRecordingRate(rate: number): rate is RecordingRateHz {
  return rate === 8000 || rate === 16_000 || rate === 48_000;
}

const READ_BYTES = 256 * 1024;

function* readRecords(file: string): Generator<SpoolRecord> {
  const descriptor = openSync(file, "r");
  try {
    let buffer: Buffer = Buffer.alloc(0);
    for (let position = FILE_HEADER_BYTES; ;) {
      const chunk = Buffer.allocUnsafe(READ_BYTES);
      const length = readSync(descriptor, chunk, 0, READ_BYTES, position);
      if (length === 0) return;
      position += length;
      buffer = Buffer.concat([buffer, chunk.subarray(0, length)]);
      let offset = 0;
      for (let end = endOfRecord(buffer, 0); end !== undefined; end = endOfRecord(buffer, offset)) {
        const record = parseRecord(buffer.subarray(offset, end));
        if (record === undefined) return;
        yield record;
        offset = end;
      }
      buffer = buffer.subarray(offset);
    }
  } finally {
    closeSync(descriptor);
  }
}

/** `undefined` if the buffer ends within the record. */
function endOfRecord(buffer: Buffer, offset: number): number | undefined {
  if (buffer.length < offset + RECORD_HEADER_BYTES) return undefined;
  const end = offset + RECORD_HEADER_BYTES + buffer.readUInt16LE(offset + 5);
  return end <= buffer.length ? end : undefined;
}

/** `undefined` for an unknown kind: after a power failure a file may end in zeros. */
function parseRecord(bytes: Buffer): SpoolRecord | undefined {
  const kind = bytes[0] ?? 0;
  const at = bytes.readUInt32LE(1);
  const payload = bytes.subarray(RECORD_HEADER_BYTES);
  if (at > MAX_SAMPLES) return undefined;
  if (kind === TIME) return { type: "time", at };
  if (kind === LOST) {
    return payload.length === LOST_PAYLOAD_BYTES
      ? { type: "lost", at, samples: payload.readUInt32LE() }
      : undefined;
  }
  const codec = codecs[kind & 0x0f];
  const direction = kind & 0xf0;
  if (codec === undefined || (direction !== CALLER && direction !== AGENT)) return undefined;
  return { type: direction === CALLER ? "caller" : "agent", at, codec, payload };
}
