/**
 * Protects single packets with the session keys of one direction. Which packets there were before is not its business: it
 * is told the index of each.
 */
export interface PacketTransform {
  /**
   * @param headerBytes How much of the packet's beginning stays in the clear.
   * @param index 48 bits: rollover counter and sequence number (RFC 3711 §3.3.1).
   * @returns A buffer of its own.
   */
  sealRtp: (packet: Uint8Array, headerBytes: number, index: number) => Uint8Array;
  /**
   * Decrypts in place; `packet` is spoilt either way.
   *
   * @returns The plain packet as a part of `packet`; `undefined` if it is not authentic or is too large.
   */
  openRtp: (packet: Uint8Array, headerBytes: number, index: number) => Uint8Array | undefined;
  /** @param index 31 bits. */
  sealRtcp: (packet: Uint8Array, index: number) => Uint8Array;
  /** As `openRtp`; the index is in the packet, and `rtcpIndexOf` reads it. */
  openRtcp: (packet: Uint8Array) => Uint8Array | undefined;
  /** What an SRTCP packet says its index is, not authenticated yet; `undefined` if it is too short, too large or not encrypted. */
  rtcpIndexOf: (packet: Uint8Array) => number | undefined;
}

/** RFC 3711 §3.4: the first RTCP header and the SSRC stay in the clear. */
export const RTCP_CLEAR_BYTES = 8;
/** The word after the packet: whether it is encrypted, and its index. */
export const RTCP_INDEX_BYTES = 4;
export const ENCRYPTED_FLAG = 0x8000_0000;

/** The index in an SRTCP index word; undefined where the packet is not encrypted, which was not agreed on. */
export function indexInWord(word: number): number | undefined {
  return word >= ENCRYPTED_FLAG ? word - ENCRYPTED_FLAG : undefined;
}

export function rtpSsrc(packet: Uint8Array): number {
  return readUint32(packet, 8);
}

export function rtcpSsrc(packet: Uint8Array): number {
  return readUint32(packet, 4);
}

export function readUint32(bytes: Uint8Array, offset: number): number {
  return (
    (((bytes[offset] ?? 0) << 24) |
      ((bytes[offset + 1] ?? 0) << 16) |
      ((bytes[offset + 2] ?? 0) << 8) |
      (bytes[offset + 3] ?? 0)) >>>
    0
  );
}

export function writeUint32(bytes: Uint8Array, value: number, offset: number): void {
  bytes[offset] = value >>> 24;
  bytes[offset + 1] = value >>> 16;
  bytes[offset + 2] = value >>> 8;
  bytes[offset + 3] = value;
}

/** Adds (exclusive or) the SSRC and the 48-bit index, which follows it, into an initialization vector. */
export function mixIn(vector: Uint8Array, offset: number, ssrc: number, index: number): void {
  writeUint32(vector, readUint32(vector, offset) ^ ssrc, offset);
  const high = Math.floor(index / 2 ** 32);
  vector[offset + 4] = (vector[offset + 4] ?? 0) ^ (high >> 8);
  vector[offset + 5] = (vector[offset + 5] ?? 0) ^ (high & 0xff);
  writeUint32(vector, readUint32(vector, offset + 6) ^ (index % 2 ** 32), offset + 6);
}
