import { AudioFileError } from "./audio-file.ts";

/** Reads bits, the most significant first. Throws an `AudioFileError` at the end of the bytes. */
export class BitReader {
  readonly #bytes: Uint8Array;
  #bit: number;

  constructor(bytes: Uint8Array, startByte = 0) {
    this.#bytes = bytes;
    this.#bit = startByte * 8;
  }

  /** Offset of the next whole byte; bits before it are skipped. */
  alignToByte(): number {
    this.#bit = Math.ceil(this.#bit / 8) * 8;
    return this.#bit / 8;
  }

  get isAtEnd(): boolean {
    return this.#bit >= this.#bytes.length * 8;
  }

  /** Reads an unsigned number of at most 32 bits. */
  read(count: number): number {
    let value = 0;
    for (let left = count; left > 0;) {
      const byte = this.#bytes[this.#bit >> 3];
      if (byte === undefined) throw new AudioFileError("is damaged: it ends too early");
      const room = 8 - (this.#bit & 7);
      const taken = Math.min(room, left);
      const bits = (byte >> (room - taken)) & ((1 << taken) - 1);
      value = value * 2 ** taken + bits;
      this.#bit += taken;
      left -= taken;
    }
    return value;
  }

  /** Reads a number in two's complement. */
  readSigned(count: number): number {
    if (count === 0) return 0;
    const value = this.read(count);
    return value >= 2 ** (count - 1) ? value - 2 ** count : value;
  }

  /** Counts zero bits up to the next one, which is skipped. */
  readUnary(): number {
    let zeros = 0;
    for (;;) {
      const byte = this.#bytes[this.#bit >> 3];
      if (byte === undefined) throw new AudioFileError("is damaged: it ends too early");
      const used = this.#bit & 7;
      const rest = (byte << (24 + used)) >>> 0;
      const leading = rest === 0 ? 8 - used : Math.clz32(rest);
      zeros += leading;
      this.#bit += leading;
      if (rest !== 0) {
        this.#bit += 1;
        return zeros;
      }
    }
  }
}
