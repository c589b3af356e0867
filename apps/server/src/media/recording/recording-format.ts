/**
 * The file in which a media process keeps a call's audio as it passed, undecoded, until it is made into a recording:
 * eight bytes that say what it is, the sample rate of the recording to be (32 bits), then records. A record is its kind (one
 * byte), its place (32 bits, samples of 48 kHz since the call's first frame), the length of its payload (16 bits), and
 * the payload. Numbers are little-endian. A file may end anywhere: with the process that wrote it.
 */
import { closeSync, openSync, readSync } from "node:fs";
import type { CodecName } from "../audio-codec.ts";

export type SpoolCodec = CodecName | "opus";
export type RecordingRateHz = 8000 | 16_000 | 48_000;

/** In a spool a millisecond is so many samples, whatever the codec. */
export const SPOOL_RATE_HZ = 48_000;
export const RECORD_HEADER_BYTES = 7;
export const FILE_HEADER_BYTES = 12;

const MAGIC = "PRLYREC1";
const codecs: readonly SpoolCodec[] = ["PCMU", "PCMA", "G722", "opus"];
/** Kinds of the caller's audio are this and the codec's index, those of the agent's 0x20 and it. */
const CALLER = 0x10;
const AGENT = 0x20;
/** The caller's packets for a while did not come; the payload is how long, in samples of 48 kHz (32 bits). */
const LOST = 0x1f;
/** Nothing but the time: the recording lasts at least until then. */
const TIME = 0x30;
const LOST_PAYLOAD_BYTES = 4;
/** Longer than any call may last, its holds included: a place beyond it is no place. */
const MAX_SAMPLES = 24 * 3600 * SPOOL_RATE_HZ;

export type SpoolRecord = { at: number } & (
  | { type: "caller" | "agent"; codec: SpoolCodec; payload: Uint8Array }
  | { type: "lost"; samples: number }
  | { type: "time" }
);

export interface Spool {
  sampleRateHz: RecordingRateHz;
  /** In the order in which they were written; what cannot be read ends them. */
  records: Iterable<SpoolRecord>;
}

export function writeFileHeader(out: Buffer, sampleRateHz: RecordingRateHz): void {
  out.write(MAGIC, 0, "latin1");
  out.writeUInt32LE(sampleRateHz, MAGIC.length);
}

/** Writes a record at `offset`, and returns where it ends. `out` has room for it. */
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

/** Undefined where the file is no spool, or ends before its first record. Reads as it goes, waiting for the disk. */
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

/** Undefined where the buffer ends before the record does. */
function endOfRecord(buffer: Buffer, offset: number): number | undefined {
  if (buffer.length < offset + RECORD_HEADER_BYTES) return undefined;
  const end = offset + RECORD_HEADER_BYTES + buffer.readUInt16LE(offset + 5);
  return end <= buffer.length ? end : undefined;
}

/** Undefined for what nobody wrote: a disk that lost its power leaves zeros. */
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
