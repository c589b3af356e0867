import { isKeySequence, writeDtmf } from "./dtmf-event.ts";

export interface DtmfSenderOptions {
  /** Keys to send, in order: 0–9, *, #, A–D; `w` waits for half a second. */
  digits: string;
  /** Clock rate of the telephone-event payload, and of the timestamps given to `next`. */
  clockRateHz: number;
}

/** A packet for `RtpSession.send`, with the negotiated payload type. */
export interface DtmfPacket {
  payload: Uint8Array;
  timestamp: number;
  marker: boolean;
}

/** 100 ms tone and 100 ms pause, accepted by exchanges of every country (ITU-T Q.24 requires 40 to 65 ms). */
const TONE_MS = 100;
const PAUSE_MS = 100;
/** The pause character of dial strings. */
const WAIT = "w";
const WAIT_MS = 500;
/** The last packet of an event is sent three times (RFC 4733 §2.5.1.4). */
const END_PACKETS = 3;

/** Sends a string of keys as telephone events (RFC 4733 §2.5.1), one packet per frame of the media clock. */
export class DtmfSender {
  readonly #digits: string;
  readonly #toneDuration: number;
  readonly #pauseDuration: number;
  readonly #waitDuration: number;
  #index = 0;
  /** Start timestamp of the current event. */
  #startTimestamp: number | undefined;
  #endsSent = 0;
  #notBefore: number | undefined;

  /** @throws {RangeError} if `digits` contains a character that is not a key. */
  constructor({ digits, clockRateHz }: DtmfSenderOptions) {
    if (!isKeySequence(digits)) {
      throw new RangeError(`DTMF digits must be 0-9, *, #, A-D or w, but got ${JSON.stringify(digits)}`);
    }
    this.#digits = digits;
    this.#toneDuration = (TONE_MS * clockRateHz) / 1000;
    this.#pauseDuration = (PAUSE_MS * clockRateHz) / 1000;
    this.#waitDuration = (WAIT_MS * clockRateHz) / 1000;
  }

  /** True after everything was sent. */
  get isDone(): boolean {
    return this.#index >= this.#digits.length;
  }

  /**
   * The packet of this frame, or `undefined` in pauses and at the end.
   *
   * @param timestamp the media clock at the start of the frame, as for audio; must not decrease.
   * @param frameDuration length of the frame in clock ticks.
   */
  next(timestamp: number, frameDuration: number): DtmfPacket | undefined {
    if (this.#notBefore !== undefined && timestamp < this.#notBefore) return undefined;
    for (; this.#digits[this.#index] === WAIT; this.#index++) {
      this.#notBefore = (this.#notBefore ?? timestamp) + this.#waitDuration;
    }
    const digit = this.#digits[this.#index];
    if (digit === undefined || (this.#notBefore !== undefined && timestamp < this.#notBefore))
      return undefined;
    const marker = this.#startTimestamp === undefined;
    const start = this.#startTimestamp ?? timestamp;
    this.#startTimestamp = start;
    const duration = Math.min(timestamp + frameDuration - start, this.#toneDuration);
    const isEnd = duration === this.#toneDuration;
    if (isEnd && ++this.#endsSent === END_PACKETS) {
      this.#index++;
      this.#startTimestamp = undefined;
      this.#endsSent = 0;
      this.#notBefore = start + this.#toneDuration + this.#pauseDuration;
    }
    return { payload: writeDtmf({ digit, isEnd, duration }), timestamp: start, marker };
  }
}

/** Time needed to send these keys, including the pause after the last one, in milliseconds. */
export function dtmfDurationMs(digits: string): number {
  let durationMs = 0;
  for (const digit of digits) durationMs += digit === WAIT ? WAIT_MS : TONE_MS + PAUSE_MS;
  return durationMs;
}
