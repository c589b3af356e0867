import type { RtpPacket } from "./packet.ts";
import { sequenceDelta } from "./serial-numbers.ts";

/** A transport address: IP literal and UDP port. */
export interface TransportAddress {
  address: string;
  port: number;
}

/** Time after a change of the SDP's address in which packets of the old source do not latch it. */
const STRAGGLER_TIMEOUT_MS = 2000;
/** A source silent for this long may be replaced by any other. */
const SILENCE_TIMEOUT_MS = 3000;
/** Maximum number of missing packets for a source that continues the latched SSRC. */
const MAX_SEQUENCE_STEP = 100;

interface LatchedSource extends TransportAddress {
  ssrc: number;
  sequenceNumber: number;
  lastPacketAtMs: number;
}

function isSame(a: TransportAddress, b: TransportAddress): boolean {
  return a.port === b.port && a.address === b.address;
}

/**
 * Decides which packets belong to a call and the destination of its own (symmetric RTP, RFC 4961), also behind NAT.
 * The source of the first valid packet is latched. Packets from other sources are foreign and dropped, so that a
 * stranger who finds the port cannot take over the stream, unless one of these conditions is true:
 *
 * 1. The source is the address of the SDP. 2. The packet continues the SSRC and sequence numbers of the latched
 * source: a NAT changed its mapping. A stranger who does not see the stream cannot guess them. 3. The latched source
 * has been silent for 3 s.
 *
 * For 2 s after a change of the SDP's address, packets of the source before it are accepted without latching it:
 * they were sent before the change, or the peer changed only its description.
 */
export class SourceLatch {
  #signaled: TransportAddress | undefined;
  #latched: LatchedSource | undefined;
  #former: TransportAddress | undefined;
  #stragglersUntilMs = -Infinity;

  /** Destination of packets: the latched source, or before the first packet the address of the SDP. */
  get destination(): TransportAddress | undefined {
    return this.#latched ?? this.#signaled;
  }

  /**
   * Applies the address of an SDP. The same address again, for example in a session refresh, changes nothing; nor
   * does a description without one, which puts the call on hold.
   */
  signal(remote: TransportAddress | undefined, nowMs: number): void {
    const isUnchanged = remote === undefined || (this.#signaled && isSame(remote, this.#signaled));
    if (isUnchanged === true) {
      return;
    }
    const isFirst = this.#signaled === undefined;
    this.#signaled = remote;
    if (!isFirst) {
      this.#former = this.#latched;
      this.#latched = undefined;
      this.#stragglersUntilMs = nowMs + STRAGGLER_TIMEOUT_MS;
    }
  }

  /** True if a valid packet is the peer's; latches its source if necessary. */
  accept(source: TransportAddress, packet: RtpPacket, nowMs: number): boolean {
    const latched = this.#latched;
    if (latched !== undefined && isSame(latched, source)) {
      latched.ssrc = packet.ssrc;
      latched.sequenceNumber = packet.sequenceNumber;
      latched.lastPacketAtMs = nowMs;
      return true;
    }
    if (latched !== undefined && !this.#mayMove(latched, source, packet, nowMs)) {
      return false;
    }
    if (latched === undefined && this.#isStraggler(source, nowMs)) {
      return true;
    }
    this.#latched = {
      address: source.address,
      port: source.port,
      ssrc: packet.ssrc,
      sequenceNumber: packet.sequenceNumber,
      lastPacketAtMs: nowMs,
    };
    return true;
  }

  #isStraggler(source: TransportAddress, nowMs: number): boolean {
    if (nowMs >= this.#stragglersUntilMs || this.#isSignaled(source)) return false;
    return this.#former !== undefined && isSame(this.#former, source);
  }

  #isSignaled(source: TransportAddress): boolean {
    return this.#signaled !== undefined && isSame(this.#signaled, source);
  }

  #mayMove(latched: LatchedSource, source: TransportAddress, packet: RtpPacket, nowMs: number): boolean {
    if (this.#isSignaled(source)) {
      return true;
    }
    const step = sequenceDelta(packet.sequenceNumber, latched.sequenceNumber);
    const isContinued = packet.ssrc === latched.ssrc && step > 0 && step <= MAX_SEQUENCE_STEP;
    return isContinued || nowMs - latched.lastPacketAtMs >= SILENCE_TIMEOUT_MS;
  }
}
