/** `a - b` on 16-bit sequence numbers that wrap (RFC 1982 arithmetic): -32768 to 32767. */
export function sequenceDelta(a: number, b: number): number {
  return ((a - b) << 16) >> 16;
}

/** `a - b` on 32-bit timestamps that wrap. */
export function timestampDelta(a: number, b: number): number {
  return (a - b) | 0;
}
