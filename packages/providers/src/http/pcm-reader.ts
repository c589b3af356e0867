import { Resampler, type ResamplerRateHz } from "@parley/audio";
import type { SampleRateHz } from "@parley/conversation";

const RATES: readonly ResamplerRateHz[] = [8000, 16_000, 22_050, 24_000, 44_100, 48_000];
const RIFF_HEADER_BYTES = 12;
const CHUNK_HEADER_BYTES = 8;

/**
 * Converts the bytes of one answer, split at any point, into samples at the call's rate. Accepts raw samples
 * (mono, signed 16-bit, little-endian), and WAV with one channel of 16 bits.
 */
export class PcmReader {
  readonly #rawRateHz: number;
  readonly #toRateHz: SampleRateHz;
  #pending = new Uint8Array(0);
  #resampler: Resampler | undefined;
  #isInSamples = false;

  /** @param rawRateHz Sample rate of raw samples. */
  constructor(rawRateHz: number, toRateHz: SampleRateHz) {
    this.#rawRateHz = rawRateHz;
    this.#toRateHz = toRateHz;
  }

  /** @throws Error for a WAV of another format. */
  push(bytes: Uint8Array): Int16Array {
    this.#pending = joined(this.#pending, bytes);
    if (!this.#isInSamples) this.#readHeader();
    if (!this.#isInSamples) return new Int16Array(0);
    const whole = this.#pending.length - (this.#pending.length % 2);
    const pcm = new Int16Array(this.#pending.slice(0, whole).buffer);
    this.#pending = this.#pending.slice(whole);
    return this.#resampler?.process(pcm) ?? pcm;
  }

  #readHeader(): void {
    const view = new DataView(this.#pending.buffer, this.#pending.byteOffset, this.#pending.byteLength);
    if (view.byteLength < 4) return;
    if (tagAt(view, 0) !== "RIFF") return this.#begin(this.#rawRateHz, 0);
    let rateHz = 0;
    let offset = RIFF_HEADER_BYTES;
    while (offset + CHUNK_HEADER_BYTES <= view.byteLength) {
      const start = offset + CHUNK_HEADER_BYTES;
      const tag = tagAt(view, offset);
      if (tag === "data") return this.#begin(rateHz, start);
      // The sizes of all other chunks are correct even if the total length was unknown.
      const size = view.getUint32(offset + 4, true);
      if (start + size > view.byteLength) return;
      if (tag === "fmt ") {
        if (view.getUint16(start + 2, true) !== 1 || view.getUint16(start + 14, true) !== 16)
          throw new Error("the audio is not mono with 16 bits");
        rateHz = view.getUint32(start + 4, true);
      }
      offset = start + size + (size % 2);
    }
  }

  #begin(rateHz: number, offset: number): void {
    const fromHz = RATES.find((each) => each === rateHz);
    if (fromHz === undefined) throw new Error(`audio at ${rateHz} Hz is not understood`);
    this.#isInSamples = true;
    this.#pending = this.#pending.slice(offset);
    if (fromHz !== this.#toRateHz) this.#resampler = new Resampler(fromHz, this.#toRateHz);
  }
}

function tagAt(view: DataView, offset: number): string {
  return String.fromCharCode(...new Uint8Array(view.buffer, view.byteOffset + offset, 4));
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
