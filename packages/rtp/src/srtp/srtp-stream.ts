import { rtpHeaderBytes } from "../packet.ts";
import { CounterModeTransform, RTCP_TAG_BYTES } from "./counter-mode.ts";
import { GcmTransform } from "./galois-counter-mode.ts";
import { deriveSessionKeys } from "./key-derivation.ts";
import { type PacketTransform, rtcpSsrc, rtpSsrc } from "./packet-transform.ts";
import { ReplayWindow } from "./replay-window.ts";
import { srtpSuites, type SrtpSuite } from "./suites.ts";

/** More sources than a call uses at the same time; beyond that, the oldest source is dropped. */
const MAX_SOURCES = 16;
const MIN_RTCP_BYTES = 8;

function createTransform(suite: SrtpSuite, masterKey: Uint8Array): PacketTransform {
  const description = srtpSuites[suite];
  const rtp = deriveSessionKeys(suite, masterKey, "rtp");
  const rtcp = deriveSessionKeys(suite, masterKey, "rtcp");
  return description.mode === "counter"
    ? new CounterModeTransform(rtp, rtcp, description.rtpTagBytes)
    : new GcmTransform(rtp, rtcp);
}

/**
 * Protects sent packets (RFC 3711). One RTP source: its sequence numbers must increase, and the first one should
 * be below 2^15, so that a receiver that joins late starts with the same rollover counter (§3.3.1).
 */
export class SrtpSender {
  readonly #transform: PacketTransform;
  readonly #sent = new ReplayWindow();
  #rtcpIndex = 0;

  /** @param masterKey master key followed by master salt, with the lengths of the suite. */
  constructor(suite: SrtpSuite, masterKey: Uint8Array) {
    this.#transform = createTransform(suite, masterKey);
  }

  /** @returns A new buffer. */
  protectRtp(packet: Uint8Array): Uint8Array {
    const headerBytes = rtpHeaderBytes(packet);
    if (headerBytes === undefined) throw new TypeError("not an RTP packet");
    const index = this.#sent.guessIndex(sequenceNumberOf(packet));
    this.#sent.accept(index);
    return this.#transform.sealRtp(packet, headerBytes, index);
  }

  /** @returns A new buffer. */
  protectRtcp(packet: Uint8Array): Uint8Array {
    this.#rtcpIndex = (this.#rtcpIndex + 1) % 2 ** 31;
    return this.#transform.sealRtcp(packet, this.#rtcpIndex);
  }
}

/** Authenticates and decrypts received packets (RFC 3711), separately for each source. */
export class SrtpReceiver {
  /** Master key identifier in each packet; `undefined` if there is none. */
  mki: Uint8Array | undefined;
  readonly #transform: PacketTransform;
  readonly #rtp = new Map<number, ReplayWindow>();
  readonly #rtcp = new Map<number, ReplayWindow>();

  readonly #tagBytes: { rtp: number; rtcp: number };

  /** @param masterKey master key followed by master salt, with the lengths of the suite. */
  constructor(suite: SrtpSuite, masterKey: Uint8Array, mki?: Uint8Array) {
    this.#transform = createTransform(suite, masterKey);
    this.#tagBytes = tagBytesAfterMki(suite);
    this.mki = mki;
  }

  /**
   * Decrypts in place; the datagram is unusable afterwards in either case.
   *
   * @returns The RTP packet as a view into `received`; `undefined` if malformed, not authentic or received
   * before.
   */
  unprotectRtp(received: Uint8Array): Uint8Array | undefined {
    const datagram = this.#withoutMki(received, this.#tagBytes.rtp);
    const headerBytes = datagram && rtpHeaderBytes(datagram);
    if (datagram === undefined || headerBytes === undefined) return undefined;
    const ssrc = rtpSsrc(datagram);
    const window = this.#rtp.get(ssrc) ?? new ReplayWindow();
    const index = window.guessIndex(sequenceNumberOf(datagram));
    if (!window.isNew(index)) return undefined;
    const packet = this.#transform.openRtp(datagram, headerBytes, index);
    if (packet !== undefined) remember(this.#rtp, ssrc, window, index);
    return packet;
  }

  /** Like `unprotectRtp`, for RTCP. */
  unprotectRtcp(received: Uint8Array): Uint8Array | undefined {
    const datagram = this.#withoutMki(received, this.#tagBytes.rtcp);
    if (datagram === undefined || datagram.length < MIN_RTCP_BYTES) return undefined;
    const index = this.#transform.rtcpIndexOf(datagram);
    if (index === undefined) return undefined;
    const ssrc = rtcpSsrc(datagram);
    const window = this.#rtcp.get(ssrc) ?? new ReplayWindow();
    if (!window.isNew(index)) return undefined;
    const packet = this.#transform.openRtcp(datagram);
    if (packet !== undefined) remember(this.#rtcp, ssrc, window, index);
    return packet;
  }

  /** Removes the master key identifier in place; `undefined` if it is missing or another one. */
  #withoutMki(datagram: Uint8Array, tagBytes: number): Uint8Array | undefined {
    const { mki } = this;
    if (mki === undefined) return datagram;
    const end = datagram.length - tagBytes;
    const start = end - mki.length;
    if (start < 0 || Buffer.compare(datagram.subarray(start, end), mki) !== 0) return undefined;
    datagram.copyWithin(start, end);
    return datagram.subarray(0, start + tagBytes);
  }
}

/** RFC 3711 §3.1: the identifier precedes the authentication tag. RFC 7714 §8.1: AEAD has its tag in the ciphertext. */
function tagBytesAfterMki(suite: SrtpSuite): { rtp: number; rtcp: number } {
  const description = srtpSuites[suite];
  if (description.mode === "gcm") return { rtp: 0, rtcp: 0 };
  return { rtp: description.rtpTagBytes, rtcp: RTCP_TAG_BYTES };
}

function sequenceNumberOf(packet: Uint8Array): number {
  return ((packet[2] ?? 0) << 8) | (packet[3] ?? 0);
}

/** Stores a source only after one of its packets has proved authentic. */
function remember(
  sources: Map<number, ReplayWindow>,
  ssrc: number,
  window: ReplayWindow,
  index: number,
): void {
  window.accept(index);
  sources.set(ssrc, window);
  const [first] = sources.keys();
  if (sources.size > MAX_SOURCES && first !== undefined) sources.delete(first);
}
