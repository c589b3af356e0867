/** Sound of a WAV file: 16-bit linear, channels interleaved. */
export interface WavAudio {
  sampleRateHz: number;
  channels: number;
  pcm: Int16Array;
}

const FORMAT_PCM = 1;
const FORMAT_EXTENSIBLE = 0xfffe;
const HEADER_BYTES = 44;

/** Where a WAV file's sound is, and how it is encoded. */
export interface WavChunks {
  /** Number of the encoding: 1 is PCM. */
  format: number;
  bits: number;
  sampleRateHz: number;
  channels: number;
  /** Bytes of the sound. */
  data: DataView;
}

function readTag(view: DataView, offset: number): string {
  return String.fromCharCode(...new Uint8Array(view.buffer, view.byteOffset + offset, 4));
}

function readFormat(view: DataView, offset: number, size: number): Omit<WavChunks, "data"> {
  if (size < 16) {
    throw new Error("WAV: the format chunk is too short");
  }
  let format = view.getUint16(offset, true);
  if (format === FORMAT_EXTENSIBLE && size >= 26) {
    // WAVE_FORMAT_EXTENSIBLE: the first two bytes of the sub-format's GUID are the format.
    format = view.getUint16(offset + 24, true);
  }
  const channels = view.getUint16(offset + 2, true);
  const sampleRateHz = view.getUint32(offset + 4, true);
  const bits = view.getUint16(offset + 14, true);
  if (channels === 0 || sampleRateHz === 0) {
    throw new Error("WAV: the number of channels and the sample rate must not be zero");
  }
  return { format, bits, sampleRateHz, channels };
}

/**
 * Finds the sound of a RIFF/WAVE file. If a data chunk claims more bytes than the file has (an interrupted recording, a
 * stream of unknown length), it ends with the file.
 *
 * @throws {Error} with the reason, if the file is not WAV or has no sound.
 */
export function readWavChunks(bytes: Uint8Array): WavChunks {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.byteLength < 12 || readTag(view, 0) !== "RIFF" || readTag(view, 8) !== "WAVE") {
    throw new Error("WAV: not a RIFF/WAVE file");
  }
  let format: Omit<WavChunks, "data"> | undefined;
  let offset = 12;
  while (offset + 8 <= view.byteLength) {
    const tag = readTag(view, offset);
    const start = offset + 8;
    const size = Math.min(view.getUint32(offset + 4, true), view.byteLength - start);
    if (tag === "fmt ") {
      format = readFormat(view, start, size);
    } else if (tag === "data") {
      if (format === undefined) {
        throw new Error("WAV: the data chunk precedes the format chunk");
      }
      return { ...format, data: new DataView(bytes.buffer, bytes.byteOffset + start, size) };
    }
    // Chunks start at even offsets.
    offset = start + size + (size % 2);
  }
  throw new Error(format === undefined ? "WAV: no format chunk" : "WAV: no data chunk");
}

/**
 * Reads a RIFF/WAVE file of 16-bit PCM, up to the last complete sample of all channels.
 *
 * @throws {Error} with the reason, if the file is not WAV or not 16-bit PCM, or has no sound.
 */
export function readWav(bytes: Uint8Array): WavAudio {
  const { format, bits, sampleRateHz, channels, data } = readWavChunks(bytes);
  if (format !== FORMAT_PCM || bits !== 16) {
    throw new Error(`WAV: expected 16-bit PCM, but got format ${format} with ${bits} bits`);
  }
  const samples = Math.floor(data.byteLength / 2 / channels) * channels;
  const pcm = Int16Array.from({ length: samples }, (_, i) => data.getInt16(2 * i, true));
  return { sampleRateHz, channels, pcm };
}

/** Writes a RIFF/WAVE file of 16-bit PCM; `pcm` has interleaved channels. */
export function writeWav({ sampleRateHz, channels, pcm }: WavAudio): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES + pcm.length * 2);
  const view = new DataView(bytes.buffer);
  const writeTag = (offset: number, tag: string) => new TextEncoder().encodeInto(tag, bytes.subarray(offset));
  writeTag(0, "RIFF");
  view.setUint32(4, bytes.length - 8, true);
  writeTag(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, FORMAT_PCM, true);
  view.setUint16(22, channels, true);
  view.setUint32(24, sampleRateHz, true);
  view.setUint32(28, sampleRateHz * channels * 2, true);
  view.setUint16(32, channels * 2, true);
  view.setUint16(34, 16, true);
  writeTag(36, "data");
  view.setUint32(40, pcm.length * 2, true);
  pcm.forEach((sample, i) => view.setInt16(HEADER_BYTES + 2 * i, sample, true));
  return bytes;
}
