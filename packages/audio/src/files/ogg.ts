import { AudioFileError, DECODED_FORMATS, type MonoAudio } from "./audio-file.ts";
import { decodeOpusPackets } from "./opus-packets.ts";
import { decodeVorbis } from "./vorbis.ts";

const HEADER_BYTES = 27;
const CONTINUED = 0x01;
const CAPTURE_PATTERN = 0x4f676753;
/** 120 ms at the highest bit rate of Opus take 7.7 kB; comments with a picture are longer. */
const MAX_PACKET_BYTES = 4 * 1024 * 1024;

/** Decodes the first stream of an Ogg file (RFC 3533), if it is Opus (RFC 7845) or Vorbis. */
export async function decodeOgg(bytes: Uint8Array, maxSeconds: number): Promise<MonoAudio> {
  const packets = readPackets(bytes);
  const head = packets.next().value;
  const codec = head === undefined ? "" : String.fromCharCode(...head.subarray(0, 8));
  if (head !== undefined && codec.startsWith("\x01vorbis"))
    return await decodeVorbis(bytes, head, packets, maxSeconds);
  if (head === undefined || codec !== "OpusHead") throw refuseCodec(codec);
  // The comments.
  packets.next();
  return await decodeOpusPackets(head, packets, maxSeconds);
}

function refuseCodec(codec: string): AudioFileError {
  const name = codec.slice(1, 5) === "FLAC" ? "FLAC" : "unknown";
  return new AudioFileError(
    `is an Ogg file with ${name} sound, which this server does not decode: convert it to ${DECODED_FORMATS}`,
  );
}

/** Packets of the first stream, up to the end of the file or the first incomplete page. */
function* readPackets(bytes: Uint8Array): Generator<Uint8Array, undefined> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let serial: number | undefined;
  let parts: Uint8Array[] = [];
  let partBytes = 0;
  for (let at = 0; at + HEADER_BYTES <= bytes.length;) {
    if (view.getUint32(at) !== CAPTURE_PATTERN) throw new AudioFileError("is a damaged Ogg file");
    const segments = bytes.subarray(at + HEADER_BYTES, at + HEADER_BYTES + view.getUint8(at + 26));
    const isContinued = (view.getUint8(at + 5) & CONTINUED) !== 0;
    const pageSerial = view.getUint32(at + 14);
    serial ??= pageSerial;
    at += HEADER_BYTES + segments.length;
    if (pageSerial !== serial) {
      for (const segment of segments) at += segment;
      continue;
    }
    // The page with the beginning of the packet is missing.
    let isSkipping = isContinued && parts.length === 0;
    if (!isContinued) [parts, partBytes] = [[], 0];
    for (const segment of segments) {
      if (at + segment > bytes.length) return;
      parts.push(bytes.subarray(at, at + segment));
      partBytes += segment;
      at += segment;
      if (partBytes > MAX_PACKET_BYTES) throw new AudioFileError("is a damaged Ogg file");
      if (segment === 255) continue;
      if (!isSkipping) yield parts.length === 1 ? (parts[0] ?? bytes) : join(parts, partBytes);
      isSkipping = false;
      [parts, partBytes] = [[], 0];
    }
  }
}

function join(parts: readonly Uint8Array[], length: number): Uint8Array {
  const joined = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
