import { AudioFileError, type MonoAudio } from "./audio-file.ts";
import { decodeOpusPackets } from "./opus-packets.ts";

/** Elements of Matroska (RFC 9559) that are read; all others are skipped. */
const SEGMENT = 0x18538067;
const TRACKS = 0x1654ae6b;
const TRACK_ENTRY = 0xae;
const TRACK_NUMBER = 0xd7;
const CODEC_ID = 0x86;
const CODEC_PRIVATE = 0x63a2;
const CLUSTER = 0x1f43b675;
const BLOCK_GROUP = 0xa0;
const BLOCK = 0xa1;
const SIMPLE_BLOCK = 0xa3;

/**
 * Elements whose content is read as if it stood beside them: sizes of masters do not matter then, which browsers leave
 * unknown while they record.
 */
const opened: ReadonlySet<number> = new Set([SEGMENT, TRACKS, TRACK_ENTRY, CLUSTER, BLOCK_GROUP]);
const LACING = 0x06;
const MAX_TRACKS = 16;
/** Shortest packet of Opus. */
const MIN_PACKET_SECONDS = 0.0025;

interface Track {
  number: number;
  codec: string;
  header: Uint8Array;
}

/** Decodes the first Opus track of a WebM or Matroska file. */
export async function decodeWebm(bytes: Uint8Array, maxSeconds: number): Promise<MonoAudio> {
  const tracks: Track[] = [];
  const blocks: Uint8Array[] = [];
  const maxBlocks = maxSeconds / MIN_PACKET_SECONDS;
  for (const { id, content } of readElements(bytes)) {
    const track = tracks.at(-1);
    if (id === TRACK_ENTRY) {
      if (tracks.length === MAX_TRACKS) throw new AudioFileError("is a damaged WebM file");
      tracks.push({ number: 0, codec: "", header: new Uint8Array(0) });
    } else if (id === SIMPLE_BLOCK || id === BLOCK) {
      if (blocks.length > maxBlocks) throw new AudioFileError(`is longer than ${maxSeconds} seconds`);
      blocks.push(content);
    } else if (track === undefined) continue;
    else if (id === TRACK_NUMBER) track.number = content.reduce((sum, byte) => sum * 256 + byte, 0);
    else if (id === CODEC_ID) track.codec = String.fromCharCode(...content.subarray(0, 32));
    else if (id === CODEC_PRIVATE) track.header = content;
  }
  const track = tracks.find(({ codec }) => codec === "A_OPUS");
  if (track === undefined) {
    const codecs = tracks.map(({ codec }) => codec).join(", ");
    throw new AudioFileError(`is a WebM or Matroska file without Opus sound (${codecs || "no track"})`);
  }
  return await decodeOpusPackets(track.header, packetsOf(blocks, track.number), maxSeconds);
}

interface Element {
  id: number;
  /** Empty for masters that are opened. */
  content: Uint8Array;
}

function* readElements(bytes: Uint8Array): Generator<Element> {
  for (let at = 0; at < bytes.length;) {
    const id = readNumber(bytes, at, true);
    const size = id && readNumber(bytes, at + id.length, false);
    // An interrupted recording ends in the middle of an element.
    if (id === undefined || size === undefined) return;
    const start = at + id.length + size.length;
    const isOpened = opened.has(id.value);
    if (!isOpened && size.value === undefined) throw new AudioFileError("is a damaged WebM file");
    at = isOpened ? start : start + (size.value ?? 0);
    if (at > bytes.length) return;
    yield { id: id.value ?? 0, content: bytes.subarray(start, at) };
  }
}

/** Variable-length number (RFC 8794 §4), with its length marker or without; `value` is `undefined` for an unknown size. */
function readNumber(bytes: Uint8Array, at: number, isId: true): { value: number; length: number } | undefined;
function readNumber(
  bytes: Uint8Array,
  at: number,
  isId: false,
): { value: number | undefined; length: number } | undefined;
function readNumber(bytes: Uint8Array, at: number, isId: boolean) {
  const first = bytes[at] ?? 0;
  const length = Math.clz32(first) - 23;
  if (length > (isId ? 4 : 8)) throw new AudioFileError("is a damaged WebM file");
  if (at + length > bytes.length) return undefined;
  let value = isId ? first : first & (0xff >> length);
  let isUnknown = value === 0xff >> length;
  for (const byte of bytes.subarray(at + 1, at + length)) {
    value = value * 256 + byte;
    isUnknown &&= byte === 0xff;
  }
  return { value: !isId && isUnknown ? undefined : value, length };
}

/** RFC 9559 §10: track number, time (2 bytes), flags, packet. */
function* packetsOf(blocks: readonly Uint8Array[], track: number): Generator<Uint8Array> {
  for (const block of blocks) {
    const number = readNumber(block, 0, false);
    if (number === undefined || number.value !== track || block.length < number.length + 4) continue;
    if (((block[number.length + 2] ?? 0) & LACING) !== 0)
      throw new AudioFileError("is a Matroska file with lacing, which is not decoded");
    yield block.subarray(number.length + 3);
  }
}
