import { decodePcma, decodePcmu } from "../g711.ts";
import { readWavChunks, type WavChunks } from "../wav.ts";
import { AudioFileError, type MonoAudio, MonoMixer } from "./audio-file.ts";

const FORMAT_PCM = 1;
const FORMAT_FLOAT = 3;
const FORMAT_A_LAW = 6;
const FORMAT_MU_LAW = 7;
const MAX_CHANNELS = 8;
/** Samples that are converted at a time. */
const BLOCK_FRAMES = 16_384;

/** Reads a sample (±1) at a byte offset. */
type ReadSample = (view: DataView, at: number) => number;

/** Decodes PCM of 8, 16, 24 and 32 bits, floats of 32 and 64 bits, A-law and µ-law. */
export function decodeWavFile(bytes: Uint8Array, maxSeconds: number): MonoAudio {
  const chunks = readChunks(bytes);
  const { format, bits, channels, sampleRateHz, data } = chunks;
  const read = readerOf(chunks);
  if (read === undefined)
    throw new AudioFileError(
      `is a WAV file of the encoding ${format} with ${bits} bits, which is not decoded: use PCM`,
    );
  if (channels > MAX_CHANNELS) throw new AudioFileError(`has more than ${MAX_CHANNELS} channels`);
  const mixer = new MonoMixer(sampleRateHz, maxSeconds);
  const sampleBytes = bits / 8;
  const frames = Math.floor(data.byteLength / sampleBytes / channels);
  for (let start = 0; start < frames; start += BLOCK_FRAMES) {
    const length = Math.min(BLOCK_FRAMES, frames - start);
    const block = Array.from({ length: channels }, (_, channel) =>
      Float32Array.from({ length }, (_each, at) =>
        read(data, ((start + at) * channels + channel) * sampleBytes),
      ),
    );
    mixer.add(block);
  }
  return mixer.finish();
}

function readChunks(bytes: Uint8Array): WavChunks {
  try {
    return readWavChunks(bytes);
  } catch (error) {
    throw new AudioFileError(
      `is a damaged WAV file (${error instanceof Error ? error.message : String(error)})`,
    );
  }
}

function readerOf({ format, bits }: WavChunks): ReadSample | undefined {
  if (format === FORMAT_PCM) return pcmReaders[bits];
  if (format === FORMAT_FLOAT) return floatReaders[bits];
  if (bits !== 8) return undefined;
  if (format === FORMAT_A_LAW) return companded(decodePcma);
  return format === FORMAT_MU_LAW ? companded(decodePcmu) : undefined;
}

const pcmReaders: Readonly<Record<number, ReadSample>> = {
  8: (view, at) => (view.getUint8(at) - 128) / 128,
  16: (view, at) => view.getInt16(at, true) / 32_768,
  24: (view, at) => ((view.getInt8(at + 2) << 16) | view.getUint16(at, true)) / 8_388_608,
  32: (view, at) => view.getInt32(at, true) / 2_147_483_648,
};

const floatReaders: Readonly<Record<number, ReadSample>> = {
  32: (view, at) => finite(view.getFloat32(at, true)),
  64: (view, at) => finite(view.getFloat64(at, true)),
};

/** Damaged files have values that are no numbers. */
const finite = (value: number): number => (Number.isFinite(value) ? Math.max(-2, Math.min(2, value)) : 0);

function companded(decode: (bytes: Uint8Array) => Int16Array): ReadSample {
  const table = decode(Uint8Array.from({ length: 256 }, (_, code) => code));
  return (view, at) => (table[view.getUint8(at)] ?? 0) / 32_768;
}
