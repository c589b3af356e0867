/**
 * G.711 (ITU-T Rec. G.711, 11/88). Samples are 16-bit linear; their upper bits are the Recommendation's own
 * scale, 14 bits for µ-law and 13 for A-law. Negative samples are measured by their one's complement, as in the
 * ITU-T Software Tool Library (G.191), so that codes agree bit for bit with its reference.
 */

/** Offset of a µ-law magnitude, so that every segment starts at a power of two (2.5 steps of segment 1, in 14 bits). */
const MU_LAW_BIAS = 33;
const MU_LAW_MAX = 0x1fff;

function muLawFromLinear14(linear: number): number {
  const magnitude = Math.min((linear < 0 ? ~linear : linear) + MU_LAW_BIAS, MU_LAW_MAX);
  const segment = 26 - Math.clz32(magnitude);
  const step = (magnitude >> (segment + 1)) & 0x0f;
  const sign = linear < 0 ? 0x80 : 0;
  // All bits are inverted on the line (Table 2a, note 2).
  return ~(sign | (segment << 4) | step) & 0xff;
}

function linearFromMuLaw(code: number): number {
  const bits = ~code;
  const segment = (bits >> 4) & 0x07;
  const magnitude = ((((bits & 0x0f) << 3) + 4 * MU_LAW_BIAS) << segment) - 4 * MU_LAW_BIAS;
  return (bits & 0x80) === 0 ? magnitude : -magnitude;
}

function aLawFromLinear12(linear: number): number {
  const magnitude = linear < 0 ? ~linear : linear;
  // The two lowest segments have the same step size.
  const segment = magnitude < 16 ? 0 : 28 - Math.clz32(magnitude);
  const step = (segment === 0 ? magnitude : magnitude >> (segment - 1)) & 0x0f;
  const sign = linear < 0 ? 0 : 0x80;
  // Even bits are inverted on the line (Table 1a, note 2).
  return (sign | (segment << 4) | step) ^ 0x55;
}

function linearFromALaw(code: number): number {
  const bits = code ^ 0x55;
  const segment = (bits >> 4) & 0x07;
  const middleOfStep = ((bits & 0x0f) << 4) + 8;
  const magnitude = segment === 0 ? middleOfStep : (middleOfStep + 0x100) << (segment - 1);
  return (bits & 0x80) === 0 ? -magnitude : magnitude;
}

const MU_LAW_SHIFT = 2;
const A_LAW_SHIFT = 4;

function buildEncodeTable(shift: number, encode: (linear: number) => number): Uint8Array {
  const size = 0x10000 >> shift;
  return Uint8Array.from({ length: size }, (_, index) => encode(index - size / 2));
}

const MU_LAW_ENCODE = buildEncodeTable(MU_LAW_SHIFT, muLawFromLinear14);
const A_LAW_ENCODE = buildEncodeTable(A_LAW_SHIFT, aLawFromLinear12);
const MU_LAW_DECODE = Int16Array.from({ length: 256 }, (_, code) => linearFromMuLaw(code));
const A_LAW_DECODE = Int16Array.from({ length: 256 }, (_, code) => linearFromALaw(code));

function encodeWith(table: Uint8Array, shift: number, pcm: Int16Array, out: Uint8Array): Uint8Array {
  for (let i = 0; i < pcm.length; i++) {
    out[i] = table[((pcm[i] ?? 0) + 0x8000) >> shift] ?? 0;
  }
  return out;
}

function decodeWith(table: Int16Array, bytes: Uint8Array, out: Int16Array): Int16Array {
  for (let i = 0; i < bytes.length; i++) {
    out[i] = table[bytes[i] ?? 0] ?? 0;
  }
  return out;
}

/**
 * Encodes 16-bit linear samples as G.711 µ-law (RTP payload `PCMU`), one byte per sample.
 *
 * @param out optional buffer for the bytes, at least as long as `pcm`; it is also the return value.
 */
export function encodePcmu(pcm: Int16Array, out: Uint8Array = new Uint8Array(pcm.length)): Uint8Array {
  return encodeWith(MU_LAW_ENCODE, MU_LAW_SHIFT, pcm, out);
}

/**
 * Decodes G.711 µ-law (RTP payload `PCMU`) to 16-bit linear samples.
 *
 * @param out optional buffer for the samples, at least as long as `bytes`; it is also the return value.
 */
export function decodePcmu(bytes: Uint8Array, out: Int16Array = new Int16Array(bytes.length)): Int16Array {
  return decodeWith(MU_LAW_DECODE, bytes, out);
}

/**
 * Encodes 16-bit linear samples as G.711 A-law (RTP payload `PCMA`), one byte per sample.
 *
 * @param out optional buffer for the bytes, at least as long as `pcm`; it is also the return value.
 */
export function encodePcma(pcm: Int16Array, out: Uint8Array = new Uint8Array(pcm.length)): Uint8Array {
  return encodeWith(A_LAW_ENCODE, A_LAW_SHIFT, pcm, out);
}

/**
 * Decodes G.711 A-law (RTP payload `PCMA`) to 16-bit linear samples.
 *
 * @param out optional buffer for the samples, at least as long as `bytes`; it is also the return value.
 */
export function decodePcma(bytes: Uint8Array, out: Int16Array = new Int16Array(bytes.length)): Int16Array {
  return decodeWith(A_LAW_DECODE, bytes, out);
}
