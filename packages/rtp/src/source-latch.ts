import type { RtpPacket } from "./packet.ts";
import { sequenceDelta } from "./serial-numbers.ts";

/** A transport address: IP literal and UDP port. */
export interface TransportAddress {
  address: string;
  port: number;
}

/** After an SDP has changed the address, the stream may move to a source that was not heard before. */
const RELEARN_MS = 2000;
/** A source that has been silent for so long may be replaced by any other. */
const ABANDONED_AFTER_MS = 3000;
/** A source that goes on with the latched one's SSRC may have missed so many packets. */
const MAX_SEQUENCE_STEP = 100;

interface LatchedSource extends TransportAddress {
  ssrc: number;
  sequenceNumber: number;
  heardAtMs: number;
}

function isSame(a: TransportAddress, b: TransportAddress): boolean {
  return a.port === b.port && a.address === b.address;
}

/**
 * Decides whose packets belong to a call and where its own go (symmetric RTP, RFC 4961), behind whatever NAT the
 * peer is. The first source of a valid packet is latched. A packet from elsewhere is foreign and dropped, so that
 * a stranger who finds the port cannot take the stream over, unless one of these holds:
 *
 * 1. it comes from the very address that the SDP names;
 * 2. the SDP's address changed less than 2 s ago, and the source is not the one latched before;
 * 3. it goes on with the SSRC and the sequence numbers of the latched source (a NAT has changed its mapping; a
 *    stranger who does not see the stream cannot guess them);
 * 4. the latched source has been silent for 3 s.
 */
export class SourceLatch {
  #signalled: TransportAddress | undefined;
  #latched: LatchedSource | undefined;
  #former: TransportAddress | undefined;
  #relearnUntilMs = -Infinity;

  /** Where to send: the latched source, until one is heard the address of the SDP. */
  get destination(): TransportAddress | undefined {
    return this.#latched ?? this.#signalled;
  }

  /** Takes the address that an SDP names. Naming the same again, as a session refresh does, changes nothing. */
  signal(remote: TransportAddress | undefined, nowMs: number): void {
    const isUnchanged =
      remote === undefined || this.#signalled === undefined
        ? remote === this.#signalled
        : isSame(remote, this.#signalled);
    if (isUnchanged) {
      return;
    }
    const isFirst = this.#signalled === undefined;
    this.#signalled = remote;
    if (!isFirst) {
      this.#former = this.#latched;
      this.#latched = undefined;
      this.#relearnUntilMs = nowMs + RELEARN_MS;
    }
  }

  /** Whether a valid packet is the peer's; latches its source where that is due. */
  accept(source: TransportAddress, packet: RtpPacket, nowMs: number): boolean {
    const latched = this.#latched;
    if (latched !== undefined && isSame(latched, source)) {
      latched.ssrc = packet.ssrc;
      latched.sequenceNumber = packet.sequenceNumber;
      latched.heardAtMs = nowMs;
      return true;
    }
    if (latched !== undefined && !this.#mayMove(latched, source, packet, nowMs)) {
      return false;
    }
    this.#latched = {
      address: source.address,
      port: source.port,
      ssrc: packet.ssrc,
      sequenceNumber: packet.sequenceNumber,
      heardAtMs: nowMs,
    };
    return true;
  }

  #mayMove(latched: LatchedSource, source: TransportAddress, packet: RtpPacket, nowMs: number): boolean {
    if (this.#signalled !== undefined && isSame(this.#signalled, source)) {
      return true;
    }
    const isFormer = this.#former !== undefined && isSame(this.#former, source);
    if (nowMs < this.#relearnUntilMs && !isFormer) {
      // Once: whoever was heard first after the change loses to the next, but not to everybody.
      this.#relearnUntilMs = -Infinity;
      return true;
    }
    const step = sequenceDelta(packet.sequenceNumber, latched.sequenceNumber);
    const goesOn = packet.ssrc === latched.ssrc && step > 0 && step <= MAX_SEQUENCE_STEP;
    return goesOn || nowMs - latched.heardAtMs >= ABANDONED_AFTER_MS;
  }
}
