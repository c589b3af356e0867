/** RFC 4733 §3.2, Table 3: telephone events 0 to 15 are the keys of a telephone. */
const DIGITS = "0123456789*#ABCD";

/** The payload of a telephone-event packet (RFC 4733 §2.3). */
export interface DtmfPayload {
  digit: string;
  isEnd: boolean;
  /** From the packet's timestamp to now, in clock ticks; 16 bits. */
  duration: number;
}

const PAYLOAD_BYTES = 4;
const END_BIT = 0x80;
/** -10 dBm0, the usual level of telephones; range 0 to 63 dB below 0 dBm0. */
const VOLUME = 10;

/** True if every character is a key (0–9, *, #, A–D) or a pause (w). */
export function isKeySequence(digits: string): boolean {
  return /^[0-9*#A-Dw]*$/.test(digits);
}

export function parseDtmf(payload: Uint8Array): DtmfPayload | undefined {
  const [event = DIGITS.length, flags = 0, high = 0, low = 0] = payload;
  const digit = DIGITS[event];
  if (payload.length < PAYLOAD_BYTES || digit === undefined) {
    return undefined;
  }
  return { digit, isEnd: (flags & END_BIT) !== 0, duration: (high << 8) | low };
}

export function writeDtmf({ digit, isEnd, duration }: DtmfPayload): Uint8Array {
  return Uint8Array.of(DIGITS.indexOf(digit), (isEnd ? END_BIT : 0) | VOLUME, duration >> 8, duration & 0xff);
}
