import {
  type CipherGCMTypes,
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  type KeyObject,
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

const TAG_BYTES = 16;
const VECTOR_BYTES = 12;
const SSRC_OFFSET = 2;

const vector = Buffer.alloc(VECTOR_BYTES);
const rtcpAssociated = Buffer.alloc(RTCP_CLEAR_BYTES + RTCP_INDEX_BYTES);

interface Keyed {
  encryption: KeyObject;
  salt: Uint8Array;
}

/** AES in Galois counter mode, which encrypts and authenticates together (RFC 7714 §8, §9). */
export class GcmTransform implements PacketTransform {
  readonly #rtp: Keyed;
  readonly #rtcp: Keyed;
  readonly #algorithm: CipherGCMTypes;

  constructor(rtp: SessionKeys, rtcp: SessionKeys) {
    this.#rtp = { encryption: createSecretKey(rtp.encryption), salt: rtp.salt };
    this.#rtcp = { encryption: createSecretKey(rtcp.encryption), salt: rtcp.salt };
    this.#algorithm = rtp.encryption.length === 16 ? "aes-128-gcm" : "aes-256-gcm";
  }

  sealRtp(packet: Uint8Array, headerBytes: number, index: number): Uint8Array {
    const header = packet.subarray(0, headerBytes);
    setVector(this.#rtp.salt, rtpSsrc(packet), index);
    return Buffer.concat([header, ...this.#seal(this.#rtp, packet.subarray(headerBytes), header)]);
  }

  openRtp(packet: Uint8Array, headerBytes: number, index: number): Uint8Array | undefined {
    const end = packet.length - TAG_BYTES;
    if (end < headerBytes) return undefined;
    setVector(this.#rtp.salt, rtpSsrc(packet), index);
    const isAuthentic = this.#open(
      this.#rtp,
      packet.subarray(headerBytes, end),
      packet.subarray(end),
      packet.subarray(0, headerBytes),
    );
    return isAuthentic ? packet.subarray(0, end) : undefined;
  }

  sealRtcp(packet: Uint8Array, index: number): Uint8Array {
    const word = Buffer.alloc(RTCP_INDEX_BYTES);
    writeUint32(word, ENCRYPTED_FLAG + index, 0);
    const associated = associate(packet, word);
    setVector(this.#rtcp.salt, rtcpSsrc(packet), index);
    const sealed = this.#seal(this.#rtcp, packet.subarray(RTCP_CLEAR_BYTES), associated);
    return Buffer.concat([packet.subarray(0, RTCP_CLEAR_BYTES), ...sealed, word]);
  }

  openRtcp(packet: Uint8Array): Uint8Array | undefined {
    const index = this.rtcpIndexOf(packet);
    if (index === undefined) return undefined;
    const wordAt = packet.length - RTCP_INDEX_BYTES;
    const end = wordAt - TAG_BYTES;
    const associated = associate(packet, packet.subarray(wordAt));
    setVector(this.#rtcp.salt, rtcpSsrc(packet), index);
    const isAuthentic = this.#open(
      this.#rtcp,
      packet.subarray(RTCP_CLEAR_BYTES, end),
      packet.subarray(end, wordAt),
      associated,
    );
    return isAuthentic ? packet.subarray(0, end) : undefined;
  }

  rtcpIndexOf(packet: Uint8Array): number | undefined {
    const isLongEnough = packet.length >= RTCP_CLEAR_BYTES + TAG_BYTES + RTCP_INDEX_BYTES;
    return isLongEnough ? indexInWord(readUint32(packet, packet.length - RTCP_INDEX_BYTES)) : undefined;
  }

  #seal({ encryption }: Keyed, plain: Uint8Array, associated: Uint8Array): [Buffer, Buffer] {
    const cipher = createCipheriv(this.#algorithm, encryption, vector);
    cipher.setAAD(associated);
    const sealed = cipher.update(plain);
    cipher.final();
    return [sealed, cipher.getAuthTag()];
  }

  /** Decrypts in place. */
  #open({ encryption }: Keyed, sealed: Uint8Array, tag: Uint8Array, associated: Uint8Array): boolean {
    const decipher = createDecipheriv(this.#algorithm, encryption, vector, { authTagLength: TAG_BYTES });
    decipher.setAAD(associated);
    decipher.setAuthTag(tag);
    const plain = decipher.update(sealed);
    try {
      decipher.final();
    } catch {
      // node:crypto reports a wrong tag only by throwing.
      return false;
    }
    sealed.set(plain);
    return true;
  }
}

/** RFC 7714 §8.1, §9.1. */
function setVector(salt: Uint8Array, ssrc: number, index: number): void {
  vector.set(salt);
  mixIn(vector, SSRC_OFFSET, ssrc, index);
}

/** RFC 7714 §9.2: the clear start and the index word of an SRTCP packet are also authenticated. */
function associate(packet: Uint8Array, word: Uint8Array): Uint8Array {
  rtcpAssociated.set(packet.subarray(0, RTCP_CLEAR_BYTES));
  rtcpAssociated.set(word, RTCP_CLEAR_BYTES);
  return rtcpAssociated;
}
