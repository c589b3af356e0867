import { endianness } from "node:os";

const isLittleEndian = endianness() === "LE";

/** Vectors are stored as little-endian 32-bit floats. */
export function writeFloats(vector: Float32Array): Buffer {
  const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
  return isLittleEndian ? bytes : Buffer.from(bytes).swap32();
}

export function readFloats(stored: Buffer): Float32Array {
  // A copy, because the buffer may begin at any byte of a larger one.
  const bytes = Buffer.from(stored);
  if (!isLittleEndian) bytes.swap32();
  return new Float32Array(Uint8Array.from(bytes).buffer);
}
