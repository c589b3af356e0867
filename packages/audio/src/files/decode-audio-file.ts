import { AudioFileError, DECODED_FORMATS, type MonoAudio } from "./audio-file.ts";
import { decodeFlac } from "./flac.ts";
import { decodeMp3 } from "./mp3.ts";
import { decodeOgg } from "./ogg.ts";
import { decodeWavFile } from "./wav-file.ts";
import { decodeWebm } from "./webm.ts";

/**
 * Decodes a WAV, MP3, FLAC, Ogg (Opus or Vorbis) or WebM Opus file, recognized by its content, to one channel. Memory is bounded by
 * `maxSeconds`; work is linear in the size of the file.
 *
 * @throws {AudioFileError} if the file is of another format, damaged or too long.
 */
export async function decodeAudioFile(bytes: Uint8Array, maxSeconds: number): Promise<MonoAudio> {
  if (bytes.length === 0) throw new AudioFileError("is empty");
  const tag = (at: number): string => String.fromCharCode(...bytes.subarray(at, at + 4));
  if (tag(0) === "RIFF" && tag(8) === "WAVE") return decodeWavFile(bytes, maxSeconds);
  if (tag(0) === "fLaC") return decodeFlac(bytes, maxSeconds);
  if (tag(0) === "OggS") return await decodeOgg(bytes, maxSeconds);
  if (tag(0) === "\x1a\x45\xdf\xa3") return await decodeWebm(bytes, maxSeconds);
  if (isMp3(bytes, tag)) return await decodeMp3(bytes, maxSeconds);
  throw new AudioFileError(`${describeOther(bytes, tag)}: convert it to ${DECODED_FORMATS}`);
}

/** With ID3 tags, or beginning with the header of a frame of layer III. */
function isMp3([first = 0, second = 0]: Uint8Array, tag: (at: number) => string): boolean {
  return tag(0).startsWith("ID3") || (first === 0xff && (second & 0xe6) === 0xe2);
}

function describeOther(bytes: Uint8Array, tag: (at: number) => string): string {
  const [first = 0, second = 0] = bytes;
  if (tag(4) === "ftyp") return "is an M4A or MP4 file, which this server does not decode";
  if (first === 0xff && (second & 0xe0) === 0xe0) return "is an AAC file, which this server does not decode";
  return "is no audio file of a known format";
}
