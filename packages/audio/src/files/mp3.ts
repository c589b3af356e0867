import { readFile } from "node:fs/promises";
import { Decoder } from "minimp3-wasm";
import { AudioFileError, type MonoAudio, MonoMixer } from "./audio-file.ts";

const PIECE_SECONDS = 1;
const HEADER_BYTES = 4;
/** Of layer III, by the header's index, in kbit/s: MPEG 1, and MPEG 2 and 2.5. Zero is none. */
const BITRATES = {
  mpeg1: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0],
  mpeg2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0],
};
/** Of MPEG 1. Those of MPEG 2 are half of them, of MPEG 2.5 a quarter. */
const RATES_HZ = [44_100, 48_000, 32_000];

/** Decodes an MP3 file (MPEG 1, 2 and 2.5, layer III), second by second. */
export async function decodeMp3(bytes: Uint8Array, maxSeconds: number): Promise<MonoAudio> {
  const frames = keepFrames(bytes);
  const program = await readFile(new URL(import.meta.resolve("minimp3-wasm/dist/decoder.opt.wasm")));
  const { instance } = await WebAssembly.instantiate(program, {});
  try {
    return decodePieces(new Decoder(instance.exports as Record<string, unknown>, frames), maxSeconds);
  } catch (cause) {
    if (cause instanceof AudioFileError) throw cause;
    throw new AudioFileError("is a damaged MP3 file", { cause });
  }
}

/** Leaves out tags, damage and an incomplete end, on which the decoder would not come to an end. */
function keepFrames(bytes: Uint8Array): Uint8Array {
  const kept = new Uint8Array(bytes.length);
  let length = 0;
  for (let at = 0; at + HEADER_BYTES <= bytes.length;) {
    const frameBytes = frameLengthAt(bytes, at);
    const end = at + frameBytes;
    const isFollowed = end + HEADER_BYTES > bytes.length || frameLengthAt(bytes, end) > 0;
    if (frameBytes === 0 || end > bytes.length || !isFollowed) at += 1;
    else {
      kept.set(bytes.subarray(at, end), length);
      length += frameBytes;
      at = end;
    }
  }
  return kept.subarray(0, length);
}

/** Length in bytes of the frame whose header is here; 0 if it is none. */
function frameLengthAt(bytes: Uint8Array, at: number): number {
  const [first = 0, second = 0, third = 0] = bytes.subarray(at, at + HEADER_BYTES);
  const [version, layer] = [(second >> 3) & 3, (second >> 1) & 3];
  if (first !== 0xff || second < 0xe0 || version === 1 || layer !== 1) return 0;
  const kbps = BITRATES[version === 3 ? "mpeg1" : "mpeg2"][third >> 4] ?? 0;
  const rateHz = (RATES_HZ[(third >> 2) & 3] ?? 0) / (version === 3 ? 1 : version === 2 ? 2 : 4);
  if (kbps === 0 || rateHz === 0) return 0;
  const padding = (third >> 1) & 1;
  return Math.floor(((version === 3 ? 144 : 72) * kbps * 1000) / rateHz) + padding;
}

function decodePieces(decoder: Decoder, maxSeconds: number): MonoAudio {
  let mixer: MonoMixer | undefined;
  for (;;) {
    const { pcm, numChannels, numSamples, samplingRate } = decoder.decode(PIECE_SECONDS);
    if (numSamples === 0) break;
    mixer ??= new MonoMixer(samplingRate, maxSeconds);
    mixer.add(split(pcm.subarray(0, numSamples), numChannels));
  }
  if (mixer === undefined) throw new AudioFileError("is a damaged MP3 file");
  return mixer.finish();
}

function split(pcm: Int16Array, channels: number): Float32Array[] {
  const length = pcm.length / channels;
  return Array.from({ length: channels }, (_, channel) =>
    Float32Array.from({ length }, (_sample, at) => (pcm[at * channels + channel] ?? 0) / 32_768),
  );
}
