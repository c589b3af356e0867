import { parseDtmf, type DtmfPayload } from "./dtmf-event.ts";
import type { RtpPacket } from "../packet.ts";
import { sequenceDelta, timestampDelta } from "../serial-numbers.ts";

/** A key that was pressed and released. */
export interface DtmfDigit {
  /** 0–9, *, #, A–D. */
  digit: string;
  durationMs: number;
}

export interface DtmfReceiverOptions {
  /** Clock rate of the telephone-event payload. */
  clockRateHz: number;
  /** Called once for each key, when its end is detected. */
  onDigit: (digit: DtmfDigit) => void;
}

/** Longest duration in one packet; a longer event continues in a new segment (RFC 4733 §2.5.1.3). */
const MAX_SEGMENT_DURATION = 0xffff;
/** An event without update for this long has ended: three times the usual 50 ms between updates (§2.5.2.2). */
const EVENT_TIMEOUT_MS = 150;
/** An ended event is remembered for this long, to recognize its delayed packets. */
const ENDED_EVENT_TIMEOUT_MS = 2000;
/** A packet at most this far behind the newest was overtaken; one further behind means that the sender restarted. */
const MAX_MISORDER = 100;
/** For senders that change the timestamp with every packet: end packets within this time belong to one end. */
const REDUNDANT_END_MS = 100;

interface ReceivedEvent {
  digit: string;
  /** Timestamp of the last received packet. */
  timestamp: number;
  sequenceNumber: number;
  duration: number;
  /** Total length of the completed segments. */
  earlierDuration: number;
  lastPacketAtMs: number;
  hasEnded: boolean;
}

/**
 * Detects keys in the telephone-event packets of one source (RFC 4733). One packet of an event is enough to
 * report it; further packets do not report it again.
 */
export class DtmfReceiver {
  readonly #options: DtmfReceiverOptions;
  #event: ReceivedEvent | undefined;

  constructor(options: DtmfReceiverOptions) {
    this.#options = options;
  }

  /** Handles a packet with the negotiated telephone-event payload type; ignores malformed packets and other events. */
  receive(packet: RtpPacket, arrivalMs: number): void {
    const payload = parseDtmf(packet.payload);
    if (payload === undefined) {
      return;
    }
    this.expire(arrivalMs);
    let event = this.#event;
    if (event !== undefined) {
      const ahead = sequenceDelta(packet.sequenceNumber, event.sequenceNumber);
      if (ahead <= 0 && ahead > -MAX_MISORDER) {
        // Overtaken or duplicated: contains no new information.
        return;
      }
    }
    if (event === undefined || !this.#isSameEvent(event, packet, payload, arrivalMs)) {
      this.#end();
      event = {
        digit: payload.digit,
        timestamp: packet.timestamp,
        sequenceNumber: packet.sequenceNumber,
        duration: 0,
        earlierDuration: 0,
        lastPacketAtMs: arrivalMs,
        hasEnded: false,
      };
      this.#event = event;
    } else if (isNextSegment(event, packet)) {
      event.earlierDuration += MAX_SEGMENT_DURATION;
    }
    event.timestamp = packet.timestamp;
    event.sequenceNumber = packet.sequenceNumber;
    event.duration = event.hasEnded ? event.duration : payload.duration;
    event.lastPacketAtMs = arrivalMs;
    if (payload.isEnd) {
      this.#end();
    }
  }

  /** Ends an event whose end packets were lost. Call at least every 100 ms. */
  expire(nowMs: number): void {
    const silentMs = this.#event === undefined ? 0 : nowMs - this.#event.lastPacketAtMs;
    if (silentMs > EVENT_TIMEOUT_MS) {
      this.#end();
    }
    if (silentMs > ENDED_EVENT_TIMEOUT_MS) {
      this.#event = undefined;
    }
  }

  #isSameEvent(event: ReceivedEvent, packet: RtpPacket, payload: DtmfPayload, arrivalMs: number): boolean {
    if (payload.digit !== event.digit) {
      return false;
    }
    if (packet.timestamp === event.timestamp) {
      // Some senders do not change the timestamp between events; the duration then restarts.
      const isRestarted = !payload.isEnd && (packet.marker || payload.duration < event.duration);
      return !(event.hasEnded && isRestarted);
    }
    if (packet.marker) {
      return false;
    }
    if (isNextSegment(event, packet)) {
      return !event.hasEnded;
    }
    // Some senders change the timestamp with every packet: a continuing duration is the same event, and so is a
    // repeated end.
    if (event.hasEnded) {
      return (
        payload.isEnd &&
        payload.duration === event.duration &&
        arrivalMs - event.lastPacketAtMs < REDUNDANT_END_MS
      );
    }
    const elapsed = timestampDelta(packet.timestamp, event.timestamp);
    return payload.duration > event.duration && elapsed <= payload.duration - event.duration;
  }

  #end(): void {
    const event = this.#event;
    if (event !== undefined && !event.hasEnded) {
      event.hasEnded = true;
      const duration = event.earlierDuration + event.duration;
      this.#options.onDigit({
        digit: event.digit,
        durationMs: Math.round((1000 * duration) / this.#options.clockRateHz),
      });
    }
  }
}

function isNextSegment(event: ReceivedEvent, packet: RtpPacket): boolean {
  return !packet.marker && timestampDelta(packet.timestamp, event.timestamp) === MAX_SEGMENT_DURATION;
}
