import { AudioFileError, type MonoAudio } from "./audio-file.ts";
import { decodeFlac } from "./flac.ts";
import { decodeOgg } from "./ogg.ts";
import { decodeWavFile } from "./wav-file.ts";
import { decodeWebm } from "./webm.ts";

/**
 * Decodes a WAV, FLAC, Ogg Opus or WebM Opus file, recognized by its content, to one channel. Memory is bounded by
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
  throw new AudioFileError(`${describeOther(bytes, tag)}: convert it to WAV, FLAC, Ogg Opus or WebM Opus`);
}

function describeOther(bytes: Uint8Array, tag: (at: number) => string): string {
  const [first = 0, second = 0] = bytes;
  if (tag(4) === "ftyp") return "is an M4A or MP4 file, which this server does not decode";
  if (tag(0).startsWith("ID3") || (first === 0xff && (second & 0xe0) === 0xe0))
    return "is an MP3 or AAC file, which this server does not decode";
  return "is no audio file of a known format";
}
