import { createCipheriv, createHmac } from "node:crypto";
import { isRtcp, type SrtpSuite } from "@parley/rtp";
import { rtpHeaderBytes } from "../../packages/rtp/src/packet.ts";
import { deriveSessionKeys } from "../../packages/rtp/src/srtp/key-derivation.ts";
import { SrtpSender } from "../../packages/rtp/src/srtp/srtp-stream.ts";
import { srtpSuites } from "../../packages/rtp/src/srtp/suites.ts";

/** Limit of our sender, which refuses to seal more. */
const MAX_RTP_BYTES = 1_500;
const RTCP_CLEAR_BYTES = 8;
const RTCP_TAG_BYTES = 10;
const ENCRYPTED_FLAG = 2 ** 31;

/**
 * Seals packets as the peer of a call, including malformed RTP and RTCP of any length, which no real peer
 * sends.
 */
export class PacketSealer {
  readonly #suite: SrtpSuite;
  readonly #masterKey: Uint8Array;
  readonly #sender: SrtpSender;
  #rtcpIndex = 0;

  constructor(suite: SrtpSuite, masterKey: Uint8Array) {
    this.#suite = suite;
    this.#masterKey = masterKey;
    this.#sender = new SrtpSender(suite, masterKey);
  }

  /** Packets that are too short or too long to be sealed stay unchanged. */
  seal(packet: Buffer): Uint8Array {
    if (isRtcp(packet)) return packet.length < RTCP_CLEAR_BYTES ? packet : this.#sealRtcp(packet);
    const isPossible = rtpHeaderBytes(packet) !== undefined && packet.length <= MAX_RTP_BYTES;
    return isPossible ? this.#sender.protectRtp(packet) : packet;
  }

  /** RFC 3711 §3.4, §4.1.1. */
  #sealRtcp(packet: Buffer): Uint8Array {
    if (srtpSuites[this.#suite].mode === "gcm") return this.#sender.protectRtcp(packet);
    const { encryption, authentication, salt } = deriveSessionKeys(this.#suite, this.#masterKey, "rtcp");
    const index = ++this.#rtcpIndex;
    const vector = Buffer.concat([salt, Buffer.alloc(2)]);
    vector.writeUInt32BE((vector.readUInt32BE(4) ^ packet.readUInt32BE(4)) >>> 0, 4);
    vector.writeUInt32BE((vector.readUInt32BE(10) ^ index) >>> 0, 10);
    const cipher = createCipheriv("aes-128-ctr", encryption, vector);
    const word = Buffer.alloc(4);
    word.writeUInt32BE(ENCRYPTED_FLAG + index);
    const encrypted = cipher.update(packet.subarray(RTCP_CLEAR_BYTES));
    const sealed = Buffer.concat([packet.subarray(0, RTCP_CLEAR_BYTES), encrypted, word]);
    const tag = createHmac("sha1", authentication).update(sealed).digest();
    return Buffer.concat([sealed, tag.subarray(0, RTCP_TAG_BYTES)]);
  }
}
