/**
 * Protects single packets with the session keys of one direction. It has no state of earlier packets; callers
 * pass the index of each packet.
 */
export interface PacketTransform {
  /**
   * @param headerBytes length of the part that remains unencrypted.
   * @param index 48 bits: rollover counter and sequence number (RFC 3711 §3.3.1).
   * @returns A new buffer.
   */
  sealRtp: (packet: Uint8Array, headerBytes: number, index: number) => Uint8Array;
  /**
   * Decrypts in place; `packet` is unusable afterwards in either case.
   *
   * @returns The plain packet as a view into `packet`; `undefined` if it is not authentic or is too large.
   */
  openRtp: (packet: Uint8Array, headerBytes: number, index: number) => Uint8Array | undefined;
  /** @param index 31 bits. */
  sealRtcp: (packet: Uint8Array, index: number) => Uint8Array;
  /** Like `openRtp`; `rtcpIndexOf` reads the index from the packet. */
  openRtcp: (packet: Uint8Array) => Uint8Array | undefined;
  /** The unauthenticated index of an SRTCP packet; `undefined` if it is too short, too large or not encrypted. */
  rtcpIndexOf: (packet: Uint8Array) => number | undefined;
}

/** RFC 3711 §3.4: the first RTCP header and the SSRC are not encrypted. */
export const RTCP_CLEAR_BYTES = 8;
/** The word after the packet: the encryption flag and the index. */
export const RTCP_INDEX_BYTES = 4;
export const ENCRYPTED_FLAG = 0x8000_0000;

/** The index in an SRTCP index word; `undefined` if the packet is not encrypted, which is not allowed. */
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

/** XORs the SSRC and the following 48-bit index into an initialization vector. */
export function mixIn(vector: Uint8Array, offset: number, ssrc: number, index: number): void {
  writeUint32(vector, readUint32(vector, offset) ^ ssrc, offset);
  const high = Math.floor(index / 2 ** 32);
  vector[offset + 4] = (vector[offset + 4] ?? 0) ^ (high >> 8);
  vector[offset + 5] = (vector[offset + 5] ?? 0) ^ (high & 0xff);
  writeUint32(vector, readUint32(vector, offset + 6) ^ (index % 2 ** 32), offset + 6);
}
