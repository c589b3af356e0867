import type { RtpPacket } from "../packet.ts";
import { timestampDelta } from "../serial-numbers.ts";

const CYCLE = 0x10000;
/** RFC 3550 A.1: a larger step forward or back means that the sender restarted. */
const MAX_DROPOUT = 3000;
const MAX_MISORDER = 100;

/** Counts of one source's packets (RFC 3550 A.1, A.3, A.8). */
export class ReceptionStatistics {
  readonly ssrc: number;
  readonly #clockRateHz: number;
  #firstSequence: number;
  /** Cycles and sequence number of the newest packet. */
  #highestSequence: number;
  #received = 0;
  /** The sequence number that, after an out-of-range packet, proves that the sender restarted. */
  #restartSequence: number | undefined;
  /** Expected packets before restarts of the sender. */
  #earlierExpected = 0;
  #reportedExpected = 0;
  #reportedReceived = 0;
  #lastTransit: number | undefined;
  #lastTimestamp: number | undefined;
  #jitter = 0;
  #jitterSum = 0;

  constructor(first: RtpPacket, clockRateHz: number) {
    this.ssrc = first.ssrc;
    this.#clockRateHz = clockRateHz;
    this.#firstSequence = first.sequenceNumber;
    this.#highestSequence = first.sequenceNumber;
  }

  get received(): number {
    return this.#received;
  }

  get highestSequence(): number {
    return this.#highestSequence;
  }

  /** Number of packets that the source has sent according to its sequence numbers. */
  get expected(): number {
    return this.#received === 0 ? 0 : this.#earlierExpected + this.#highestSequence - this.#firstSequence + 1;
  }

  /** Current jitter, in clock ticks. */
  get jitter(): number {
    return this.#jitter;
  }

  /** Sum of the jitter after each packet, in milliseconds. */
  get jitterSumMs(): number {
    return (1000 * this.#jitterSum) / this.#clockRateHz;
  }

  receive(packet: RtpPacket, arrivalMs: number): void {
    const { sequenceNumber } = packet;
    const ahead = (sequenceNumber - this.#highestSequence) & 0xffff;
    if (ahead < MAX_DROPOUT) {
      this.#highestSequence += ahead;
    } else if (ahead < CYCLE - MAX_MISORDER) {
      if (sequenceNumber !== this.#restartSequence) {
        this.#restartSequence = (sequenceNumber + 1) & 0xffff;
        return;
      }
      this.#earlierExpected = this.expected;
      this.#firstSequence = sequenceNumber;
      this.#highestSequence = sequenceNumber;
      this.#lastTransit = undefined;
    }
    this.#restartSequence = undefined;
    this.#received++;
    this.#observeJitter(packet.timestamp, arrivalMs);
  }

  /** Fraction of packets lost since the last call, 0 to 1. */
  takeFractionLost(): number {
    const expected = this.expected - this.#reportedExpected;
    const received = this.#received - this.#reportedReceived;
    this.#reportedExpected = this.expected;
    this.#reportedReceived = this.#received;
    return expected <= 0 ? 0 : Math.max(0, (expected - received) / expected);
  }

  #observeJitter(timestamp: number, arrivalMs: number): void {
    // The packets of one telephone event share a timestamp and show nothing about the network.
    if (timestamp !== this.#lastTimestamp) {
      const arrival = Math.round((arrivalMs * this.#clockRateHz) / 1000);
      const transit = timestampDelta(arrival, timestamp);
      if (this.#lastTransit !== undefined) {
        this.#jitter += (Math.abs(timestampDelta(transit, this.#lastTransit)) - this.#jitter) / 16;
      }
      this.#lastTransit = transit;
      this.#lastTimestamp = timestamp;
    }
    this.#jitterSum += this.#jitter;
  }
}
