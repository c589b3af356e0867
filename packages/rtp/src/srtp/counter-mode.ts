import {
  type Cipheriv,
  createCipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  timingSafeEqual,
} from "node:crypto";
import type { SessionKeys } from "./key-derivation.ts";
import {
  ENCRYPTED_FLAG,
  indexInWord,
  mixIn,
  type PacketTransform,
  readUint32,
  RTCP_CLEAR_BYTES,
  RTCP_INDEX_BYTES,
  rtcpSsrc,
  rtpSsrc,
  writeUint32,
} from "./packet-transform.ts";

const BLOCK_BYTES = 16;
const COUNTER_BYTES = 2;
/** Enough for a datagram of 1,500 bytes. */
const MAX_BLOCKS = 96;
const MAX_ENCRYPTED_BYTES = MAX_BLOCKS * BLOCK_BYTES;
const SSRC_OFFSET = 4;
const ROLLOVER_BYTES = 4;
/** RFC 4568 §6.2: the tag length of RTCP, independent of RTP's. */
export const RTCP_TAG_BYTES = 10;
const MAX_TAG_BYTES = 10;

/** Counter blocks to encrypt; their last two bytes count and never change. */
const counters = Buffer.alloc(MAX_BLOCKS * BLOCK_BYTES);
for (let block = 0; block < MAX_BLOCKS; block++) {
  counters.writeUInt16BE(block, (block + 1) * BLOCK_BYTES - COUNTER_BYTES);
}
const receivedTag = Buffer.alloc(MAX_TAG_BYTES);

/** Keys of RTP or RTCP in one direction, with objects created from them once. */
interface Keyed {
  /**
   * Encrypts counter blocks. A cipher object per packet would take most of the time. In this mode one object
   * serves for all packets, because it has no state between blocks: counter mode is encrypted counters
   * (RFC 3711 §4.1.1).
   */
  blocks: Cipheriv;
  authentication: KeyObject;
  salt: Uint8Array;
}

function prepare({ encryption, authentication, salt }: SessionKeys): Keyed {
  const blocks = createCipheriv("aes-128-ecb", encryption, null);
  blocks.setAutoPadding(false);
  return { blocks, authentication: createSecretKey(authentication), salt };
}

/** AES-128 in counter mode, authenticated by HMAC-SHA1 (RFC 3711 §4.1.1, §4.2.1). */
export class CounterModeTransform implements PacketTransform {
  readonly #rtp: Keyed;
  readonly #rtcp: Keyed;
  readonly #rtpTagBytes: number;

  constructor(rtp: SessionKeys, rtcp: SessionKeys, rtpTagBytes: number) {
    this.#rtp = prepare(rtp);
    this.#rtcp = prepare(rtcp);
    this.#rtpTagBytes = rtpTagBytes;
  }

  sealRtp(packet: Uint8Array, headerBytes: number, index: number): Uint8Array {
    const end = packet.length;
    // Room for the rollover counter, which is authenticated but not sent; the tag replaces it.
    const sealed = Buffer.allocUnsafe(end + Math.max(this.#rtpTagBytes, ROLLOVER_BYTES));
    sealed.set(packet);
    xorKeyStream(this.#rtp, sealed.subarray(headerBytes, end), rtpSsrc(packet), index);
    writeUint32(sealed, rolloverOf(index), end);
    const tag = authenticate(this.#rtp, sealed.subarray(0, end + ROLLOVER_BYTES));
    sealed.set(tag.subarray(0, this.#rtpTagBytes), end);
    return sealed.subarray(0, end + this.#rtpTagBytes);
  }

  openRtp(packet: Uint8Array, headerBytes: number, index: number): Uint8Array | undefined {
    const end = packet.length - this.#rtpTagBytes;
    if (end < headerBytes || end - headerBytes > MAX_ENCRYPTED_BYTES) return undefined;
    receivedTag.set(packet.subarray(end));
    writeUint32(packet, rolloverOf(index), end);
    if (!isAuthentic(this.#rtp, packet.subarray(0, end + ROLLOVER_BYTES), this.#rtpTagBytes))
      return undefined;
    xorKeyStream(this.#rtp, packet.subarray(headerBytes, end), rtpSsrc(packet), index);
    return packet.subarray(0, end);
  }

  sealRtcp(packet: Uint8Array, index: number): Uint8Array {
    const end = packet.length;
    const sealed = Buffer.allocUnsafe(end + RTCP_INDEX_BYTES + RTCP_TAG_BYTES);
    sealed.set(packet);
    xorKeyStream(this.#rtcp, sealed.subarray(RTCP_CLEAR_BYTES, end), rtcpSsrc(packet), index);
    writeUint32(sealed, ENCRYPTED_FLAG + index, end);
    const tag = authenticate(this.#rtcp, sealed.subarray(0, end + RTCP_INDEX_BYTES));
    sealed.set(tag.subarray(0, RTCP_TAG_BYTES), end + RTCP_INDEX_BYTES);
    return sealed;
  }

  openRtcp(packet: Uint8Array): Uint8Array | undefined {
    const index = this.rtcpIndexOf(packet);
    if (index === undefined) return undefined;
    const end = packet.length - RTCP_TAG_BYTES - RTCP_INDEX_BYTES;
    receivedTag.set(packet.subarray(end + RTCP_INDEX_BYTES));
    if (!isAuthentic(this.#rtcp, packet.subarray(0, end + RTCP_INDEX_BYTES), RTCP_TAG_BYTES))
      return undefined;
    xorKeyStream(this.#rtcp, packet.subarray(RTCP_CLEAR_BYTES, end), rtcpSsrc(packet), index);
    return packet.subarray(0, end);
  }

  rtcpIndexOf(packet: Uint8Array): number | undefined {
    const end = packet.length - RTCP_TAG_BYTES - RTCP_INDEX_BYTES;
    const isPossible = end >= RTCP_CLEAR_BYTES && end - RTCP_CLEAR_BYTES <= MAX_ENCRYPTED_BYTES;
    return isPossible ? indexInWord(readUint32(packet, end)) : undefined;
  }
}

function rolloverOf(index: number): number {
  return Math.floor(index / 0x10000);
}

function authenticate({ authentication }: Keyed, bytes: Uint8Array): Buffer {
  return createHmac("sha1", authentication).update(bytes).digest();
}

/** Compares with the start of `receivedTag`. */
function isAuthentic(keyed: Keyed, bytes: Uint8Array, tagBytes: number): boolean {
  const tag = authenticate(keyed, bytes);
  return timingSafeEqual(tag.subarray(0, tagBytes), receivedTag.subarray(0, tagBytes));
}

function xorKeyStream({ blocks, salt }: Keyed, bytes: Uint8Array, ssrc: number, index: number): void {
  const count = Math.ceil(bytes.length / BLOCK_BYTES);
  // Only our own packets can be that large: received ones are rejected before.
  if (count > MAX_BLOCKS)
    throw new RangeError(`a packet of ${bytes.length} bytes exceeds the limit of ${MAX_ENCRYPTED_BYTES}`);
  const vectorBytes = BLOCK_BYTES - COUNTER_BYTES;
  counters.set(salt);
  mixIn(counters, SSRC_OFFSET, ssrc, index);
  for (let block = 1; block < count; block++) counters.copyWithin(block * BLOCK_BYTES, 0, vectorBytes);
  const keyStream = blocks.update(counters.subarray(0, count * BLOCK_BYTES));
  for (let i = 0; i < bytes.length; i++) bytes[i] = (bytes[i] ?? 0) ^ (keyStream[i] ?? 0);
}
