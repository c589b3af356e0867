import { parseDtmf, type DtmfPayload } from "./dtmf-event.ts";
import type { RtpPacket } from "./packet.ts";
import { sequenceDelta, timestampDelta } from "./serial-numbers.ts";

/** A key that was pressed and let go. */
export interface DtmfDigit {
  /** 0–9, *, #, A–D. */
  digit: string;
  durationMs: number;
}

export interface DtmfReceiverOptions {
  /** Clock rate of the telephone-event payload. */
  clockRateHz: number;
  /** Called once for each key, when its end is known. */
  onDigit: (digit: DtmfDigit) => void;
}

/** Longest that one packet can report; a longer event goes on in a new segment (RFC 4733 §2.5.1.3). */
const SEGMENT_DURATION = 0xffff;
/** An event that is not updated for so long has ended: three times the usual 50 ms between updates (§2.5.2.2). */
const LOST_END_AFTER_MS = 150;
/** An ended event is remembered for so long, to know packets of it that were held up on the way. */
const FORGET_AFTER_MS = 2000;
/** Packets that come so far behind the newest were overtaken; farther, the sender has started anew. */
const MAX_MISORDER = 100;
/** Within this time the end packets of senders that renew the timestamp with every packet are one end. */
const REDUNDANT_END_MS = 100;

interface ReceivedEvent {
  digit: string;
  /** Of the packet seen last. */
  timestamp: number;
  sequenceNumber: number;
  duration: number;
  /** Length of the segments that were completed before. */
  earlierDuration: number;
  heardAtMs: number;
  hasEnded: boolean;
}

/**
 * Hears keys in the telephone-event packets of one source (RFC 4733). Any packet of an event is enough to report
 * it, and however many arrive it is reported once.
 */
export class DtmfReceiver {
  readonly #options: DtmfReceiverOptions;
  #event: ReceivedEvent | undefined;

  constructor(options: DtmfReceiverOptions) {
    this.#options = options;
  }

  /** Takes a packet of the negotiated telephone-event payload type; malformed ones and other events are ignored. */
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
        // Overtaken on the way or sent twice: it says nothing that is not known.
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
        heardAtMs: arrivalMs,
        hasEnded: false,
      };
      this.#event = event;
    } else if (isNextSegment(event, packet)) {
      event.earlierDuration += SEGMENT_DURATION;
    }
    event.timestamp = packet.timestamp;
    event.sequenceNumber = packet.sequenceNumber;
    event.duration = event.hasEnded ? event.duration : payload.duration;
    event.heardAtMs = arrivalMs;
    if (payload.isEnd) {
      this.#end();
    }
  }

  /** Ends an event whose end packets were lost. To be called now and then, at least every 100 ms. */
  expire(nowMs: number): void {
    const silentMs = this.#event === undefined ? 0 : nowMs - this.#event.heardAtMs;
    if (silentMs > LOST_END_AFTER_MS) {
      this.#end();
    }
    if (silentMs > FORGET_AFTER_MS) {
      this.#event = undefined;
    }
  }

  #isSameEvent(event: ReceivedEvent, packet: RtpPacket, payload: DtmfPayload, arrivalMs: number): boolean {
    if (payload.digit !== event.digit) {
      return false;
    }
    if (packet.timestamp === event.timestamp) {
      // Some senders do not renew the timestamp between events: then the duration begins anew.
      const beginsAnew = !payload.isEnd && (packet.marker || payload.duration < event.duration);
      return !(event.hasEnded && beginsAnew);
    }
    if (packet.marker) {
      return false;
    }
    if (isNextSegment(event, packet)) {
      return !event.hasEnded;
    }
    // Some senders renew the timestamp with every packet: a duration that grows on is the same event, and
    // so is the same end again.
    if (event.hasEnded) {
      return (
        payload.isEnd && payload.duration === event.duration && arrivalMs - event.heardAtMs < REDUNDANT_END_MS
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
  return !packet.marker && timestampDelta(packet.timestamp, event.timestamp) === SEGMENT_DURATION;
}
