/** `a - b` for wrapping 16-bit sequence numbers (RFC 1982 arithmetic): -32768 to 32767. */
export function sequenceDelta(a: number, b: number): number {
  return ((a - b) << 16) >> 16;
}

/** `a - b` for wrapping 32-bit timestamps. */
export function timestampDelta(a: number, b: number): number {
  return (a - b) | 0;
}
