import { AudioFileError, type MonoAudio, MonoMixer } from "./audio-file.ts";
import { BitReader } from "./bit-reader.ts";
import { readSubframe } from "./flac-subframe.ts";

/** RFC 9639 §9.1.2 to §9.1.4: codes in a frame's header. */
const SAMPLE_RATES = [
  0, 88_200, 176_400, 192_000, 8000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000,
];
const SAMPLE_BITS = [0, 8, 12, 0, 16, 20, 24, 32];
const MAX_BITS = 24;
const SYNC_CODE = 0x3ffe;

interface StreamInfo {
  sampleRateHz: number;
  bits: number;
  /** Offset of the first frame. */
  framesAt: number;
}

/** Decodes a FLAC file (RFC 9639) of at most 24 bits. Frames with a wrong checksum are damage. */
export function decodeFlac(bytes: Uint8Array, maxSeconds: number): MonoAudio {
  const info = readStreamInfo(bytes);
  if (info.bits > MAX_BITS) throw new AudioFileError(`has more than ${MAX_BITS} bits per sample`);
  const mixer = new MonoMixer(info.sampleRateHz, maxSeconds);
  for (let at = info.framesAt; at < bytes.length;) {
    const { channels, end } = readFrame(bytes, at, info);
    mixer.add(
      channels.map((channel) => Float32Array.from(channel, (sample) => sample / 2 ** (info.bits - 1))),
    );
    at = end;
  }
  return mixer.finish();
}

/** RFC 9639 §8. */
function readStreamInfo(bytes: Uint8Array): StreamInfo {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let stream: Omit<StreamInfo, "framesAt"> | undefined;
  for (let at = 4; at + 4 <= view.byteLength;) {
    const header = view.getUint32(at);
    const length = header & 0xffffff;
    if (((header >>> 24) & 0x7f) === 0 && at + 4 + 18 <= view.byteLength) {
      const packed = view.getUint32(at + 14);
      stream = { sampleRateHz: packed >>> 12, bits: ((packed >>> 4) & 0x1f) + 1 };
    }
    at += 4 + length;
    if (header >>> 31 === 1 && stream !== undefined) return { ...stream, framesAt: at };
  }
  throw new AudioFileError("is a damaged FLAC file: its header is incomplete");
}

function readFrame(bytes: Uint8Array, start: number, info: StreamInfo) {
  const reader = new BitReader(bytes, start);
  const { blockSize, assignment, bits } = readFrameHeader(reader, info);
  const count = assignment < 8 ? assignment + 1 : 2;
  const channels = Array.from({ length: count }, (_, channel) => {
    // The difference of two channels has one bit more.
    const isSide = assignment === 9 ? channel === 0 : assignment > 7 && channel === 1;
    return readSubframe(reader, blockSize, isSide ? bits + 1 : bits);
  });
  const checksumAt = reader.alignToByte();
  const checksum = reader.read(16);
  if (crc16(bytes.subarray(start, checksumAt)) !== checksum)
    throw new AudioFileError("is a damaged FLAC file: a checksum is wrong");
  restoreStereo(assignment, channels);
  return { channels, end: checksumAt + 2 };
}

/** RFC 9639 §9.1. */
function readFrameHeader(reader: BitReader, info: StreamInfo) {
  if (reader.read(14) !== SYNC_CODE) throw damagedFrame();
  reader.read(2);
  const sizeCode = reader.read(4);
  const rateCode = reader.read(4);
  const assignment = reader.read(4);
  const bitsCode = reader.read(3);
  reader.read(1);
  skipCodedNumber(reader);
  const blockSize = readBlockSize(reader, sizeCode);
  if (rateCode === 12) reader.read(8);
  else if (rateCode > 12) reader.read(16);
  reader.read(8);
  const bits = bitsCode === 0 ? info.bits : (SAMPLE_BITS[bitsCode] ?? 0);
  const rateHz = rateCode === 0 || rateCode > 11 ? info.sampleRateHz : SAMPLE_RATES[rateCode];
  if (assignment > 10 || bits !== info.bits || rateHz !== info.sampleRateHz) throw damagedFrame();
  return { blockSize, assignment, bits };
}

/** The frame's number, coded as UTF-8 codes characters. */
function skipCodedNumber(reader: BitReader): void {
  const first = reader.read(8);
  const length = Math.clz32((~first & 0xff) << 24);
  for (let left = length - 1; left > 0; left--) reader.read(8);
}

function readBlockSize(reader: BitReader, code: number): number {
  if (code === 0) throw damagedFrame();
  if (code === 1) return 192;
  if (code < 6) return 144 << code;
  if (code === 6) return reader.read(8) + 1;
  if (code === 7) return reader.read(16) + 1;
  return 1 << code;
}

/** RFC 9639 §4.2. */
function restoreStereo(assignment: number, [left, right]: readonly Float64Array[]): void {
  if (assignment < 8 || left === undefined || right === undefined) return;
  for (let at = 0; at < left.length; at++) {
    const [first, second] = [left[at] ?? 0, right[at] ?? 0];
    if (assignment === 8) right[at] = first - second;
    else if (assignment === 9) left[at] = first + second;
    else {
      const middle = 2 * first + (Math.abs(second) % 2);
      left[at] = (middle + second) / 2;
      right[at] = (middle - second) / 2;
    }
  }
}

const CRC_TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ 0x8005;
  return crc;
});

function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) crc = ((crc << 8) ^ (CRC_TABLE[(crc >> 8) ^ byte] ?? 0)) & 0xffff;
  return crc;
}

const damagedFrame = (): AudioFileError =>
  new AudioFileError("is a damaged FLAC file: a frame is unreadable");
