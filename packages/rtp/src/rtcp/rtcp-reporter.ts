import { randomBytes } from "node:crypto";
import type { RtpPacket } from "../packet.ts";
import { parseRtcp, type ReceptionReport, writeRtcp } from "./rtcp-packet.ts";
import { ReceptionStatistics } from "./reception-statistics.ts";

/** Loss and jitter of one direction of a call. */
export interface StreamStatistics {
  packets: number;
  lost: number;
  /** Mean over all packets. */
  jitterMs: number;
}

export interface RtcpStatistics {
  received: StreamStatistics;
  /** According to the peer's reports; `undefined` if there was no report on our stream. */
  sent: StreamStatistics | undefined;
  /** Mean of the measurements, if any. */
  roundTripMs: number | undefined;
}

/**
 * RFC 3550 §6.2, A.7. For two participants, the RTCP share of the bandwidth allows shorter intervals with every
 * codec, so only this minimum applies; reconsideration then changes nothing.
 */
const MIN_INTERVAL_MS = 5000;
/** Compensates for timer reconsideration, which ends below the intended interval (§6.3.1). */
const COMPENSATION = Math.E - 1.5;
/** A participant that has not sent for two intervals reports as a receiver (§6.4). */
const SENDER_TIMEOUT_MS = 2 * MIN_INTERVAL_MS;
/** Seconds from 1900, the NTP epoch, to 1970. */
const NTP_EPOCH_SECONDS = 2_208_988_800;
const MAX_ROUND_TRIP_MS = 10_000;
const MAX_ROUNDING_MS = 20;

export interface RtcpReporterOptions {
  ssrc: number;
  /** Timestamp clock of both directions. */
  clockRateHz: number;
  /** Uniform in [0, 1); spreads the reports. */
  random: () => number;
}

/**
 * One participant's RTCP in a session of two (RFC 3550): counts sent and received packets, schedules reports, and
 * evaluates the peer's reports. Times are in milliseconds of `performance.now`.
 */
export class RtcpReporter {
  readonly #ssrc: number;
  readonly #clockRateHz: number;
  readonly #random: () => number;
  /** RFC 7022: random, so that it does not link different calls. */
  readonly #cname = randomBytes(12).toString("base64");
  #dueMs: number | undefined;
  #sentPackets = 0;
  #sentOctets = 0;
  #sentTimestamp = 0;
  #sentAtMs = -Infinity;
  #source: ReceptionStatistics | undefined;
  #lastPacketAtMs = -Infinity;
  /** Counts of sources before the current one. */
  #earlier = { received: 0, expected: 0, jitterSumMs: 0 };
  #peerReport: { ssrc: number; ntpMiddle: number; atMs: number } | undefined;
  #remote: { lost: number; fractionLost: number; reports: number; jitterSumMs: number } | undefined;
  #roundTrips = { count: 0, sumMs: 0 };

  constructor({ ssrc, clockRateHz, random }: RtcpReporterOptions) {
    this.#ssrc = ssrc;
    this.#clockRateHz = clockRateHz;
    this.#random = random;
  }

  /** @param timestamp as in the packet. */
  sent(timestamp: number, payloadBytes: number, nowMs: number): void {
    this.#sentPackets++;
    this.#sentOctets += payloadBytes;
    this.#sentTimestamp = timestamp;
    this.#sentAtMs = nowMs;
  }

  received(packet: RtpPacket, arrivalMs: number): void {
    if (this.#source?.ssrc !== packet.ssrc) this.#change(packet);
    this.#source?.receive(packet, arrivalMs);
    this.#lastPacketAtMs = arrivalMs;
  }

  /** Handles a datagram of the peer; false if it is not RTCP. */
  receive(datagram: Uint8Array, nowMs: number): boolean {
    const compound = parseRtcp(datagram);
    if (compound === undefined) return false;
    for (const { ssrc, sender, reports } of compound.reports) {
      if (sender !== undefined) {
        const ntpMiddle = middle(sender.ntpSeconds, sender.ntpFraction);
        this.#peerReport = { ssrc, ntpMiddle, atMs: nowMs };
      }
      for (const report of reports) if (report.ssrc === this.#ssrc) this.#applyReport(report, nowMs);
    }
    return true;
  }

  /** A compound packet to send now; `undefined` if none is due. Cheap enough to call with every frame. */
  takeReport(nowMs: number): Uint8Array | undefined {
    if (this.#dueMs === undefined) {
      // The first report is sent after half the interval (RFC 3550 §6.2).
      this.#dueMs = nowMs + this.#interval(MIN_INTERVAL_MS / 2);
      return undefined;
    }
    if (nowMs < this.#dueMs) return undefined;
    this.#dueMs = nowMs + this.#interval(MIN_INTERVAL_MS);
    return this.#report(nowMs, false);
  }

  /** The compound packet with BYE. */
  bye(nowMs: number): Uint8Array {
    return this.#report(nowMs, true);
  }

  /** Fraction of our packets that the peer missed, 0 to 1, in its last report; `undefined` before the first. */
  get remoteFractionLost(): number | undefined {
    return this.#remote?.fractionLost;
  }

  get statistics(): RtcpStatistics {
    const received = this.#earlier.received + (this.#source?.received ?? 0);
    const expected = this.#earlier.expected + (this.#source?.expected ?? 0);
    const jitterSumMs = this.#earlier.jitterSumMs + (this.#source?.jitterSumMs ?? 0);
    const { count, sumMs } = this.#roundTrips;
    return {
      received: {
        packets: received,
        lost: Math.max(0, expected - received),
        jitterMs: received === 0 ? 0 : jitterSumMs / received,
      },
      sent: this.#remote && {
        packets: this.#sentPackets,
        lost: Math.max(0, this.#remote.lost),
        jitterMs: this.#remote.jitterSumMs / this.#remote.reports,
      },
      roundTripMs: count === 0 ? undefined : sumMs / count,
    };
  }

  #interval(deterministicMs: number): number {
    return (deterministicMs * (0.5 + this.#random())) / COMPENSATION;
  }

  #change(packet: RtpPacket): void {
    const { received = 0, expected = 0, jitterSumMs = 0 } = this.#source ?? {};
    this.#earlier.received += received;
    this.#earlier.expected += expected;
    this.#earlier.jitterSumMs += jitterSumMs;
    this.#source = new ReceptionStatistics(packet, this.#clockRateHz);
  }

  #applyReport(report: ReceptionReport, nowMs: number): void {
    const { reports = 0, jitterSumMs = 0 } = this.#remote ?? {};
    this.#remote = {
      lost: report.cumulativeLost,
      fractionLost: report.fractionLost,
      reports: reports + 1,
      jitterSumMs: jitterSumMs + (1000 * report.jitter) / this.#clockRateHz,
    };
    if (report.lastSenderReport === 0) return;
    const { seconds, fraction } = ntpTime(nowMs);
    const units =
      (middle(seconds, fraction) - report.lastSenderReport - report.delaySinceLastSenderReport) | 0;
    const roundTripMs = (units * 1000) / 65_536;
    // A larger value means that the peer miscounts; slightly below zero is a rounding error.
    if (roundTripMs < -MAX_ROUNDING_MS || roundTripMs > MAX_ROUND_TRIP_MS) return;
    this.#roundTrips.count++;
    this.#roundTrips.sumMs += Math.max(0, roundTripMs);
  }

  #report(nowMs: number, isLeaving: boolean): Uint8Array {
    const { seconds, fraction } = ntpTime(nowMs);
    const elapsedMs = nowMs - this.#sentAtMs;
    const sender =
      elapsedMs < SENDER_TIMEOUT_MS
        ? {
            ntpSeconds: seconds,
            ntpFraction: fraction,
            // The same moment on the stream's clock.
            rtpTimestamp: this.#sentTimestamp + Math.round((elapsedMs * this.#clockRateHz) / 1000),
            packets: this.#sentPackets,
            octets: this.#sentOctets,
          }
        : undefined;
    const isReceiving = nowMs - this.#lastPacketAtMs < SENDER_TIMEOUT_MS;
    const reports = this.#source !== undefined && isReceiving ? [this.#reception(this.#source, nowMs)] : [];
    return writeRtcp({ ssrc: this.#ssrc, sender, reports }, this.#cname, isLeaving);
  }

  #reception(source: ReceptionStatistics, nowMs: number): ReceptionReport {
    const last = this.#peerReport?.ssrc === source.ssrc ? this.#peerReport : undefined;
    return {
      ssrc: source.ssrc,
      fractionLost: source.takeFractionLost(),
      cumulativeLost: source.expected - source.received,
      highestSequence: source.highestSequence,
      jitter: source.jitter,
      lastSenderReport: last?.ntpMiddle ?? 0,
      delaySinceLastSenderReport: last === undefined ? 0 : Math.round(((nowMs - last.atMs) * 65_536) / 1000),
    };
  }
}

function ntpTime(nowMs: number): { seconds: number; fraction: number } {
  const unixSeconds = (performance.timeOrigin + nowMs) / 1000;
  const whole = Math.floor(unixSeconds);
  return {
    seconds: (whole + NTP_EPOCH_SECONDS) >>> 0,
    fraction: Math.floor((unixSeconds - whole) * 2 ** 32),
  };
}

/** The middle 32 of the 64 bits of NTP time. */
function middle(seconds: number, fraction: number): number {
  return ((seconds << 16) | (fraction >>> 16)) >>> 0;
}
