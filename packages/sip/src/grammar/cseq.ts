import { Scanner } from "./scanner.ts";

export interface CSeq {
  sequence: number;
  method: string;
}

/** RFC 3261 §8.1.1.5: the number must be less than 2**31. */
const MAX_SEQUENCE = 2 ** 31 - 1;

export function parseCSeq(value: string): CSeq | undefined {
  const scanner = new Scanner(value);
  const sequence = scanner.readNumber(MAX_SEQUENCE);
  const afterNumber = scanner.position;
  scanner.skipWhitespace();
  if (sequence === undefined || scanner.position === afterNumber) return undefined;
  const method = scanner.readToken();
  return method !== undefined && scanner.isAtEnd() ? { sequence, method } : undefined;
}
