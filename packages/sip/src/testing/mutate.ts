import { realMessages } from "./messages.ts";
import { ipv6TortureMessages, tortureMessage, tortureNames } from "./torture.ts";

/** Pieces of the SIP grammar. */
export const fragments = [
  "\r\n",
  "\r\n\r\n",
  "\n",
  "\0",
  ":",
  ";",
  ",",
  "<",
  ">",
  '"',
  "\\",
  "=",
  "%",
  "@",
  "[",
  "SIP/2.0",
  "z9hG4bK",
  ";rport",
  ";branch=z9hG4bK",
  ";tag=",
  "Content-Length: 99999\r\n",
  "Via: SIP/2.0/UDP [::1\r\n",
  "CSeq: 4294967296 INVITE\r\n",
  "Contact: *\r\n",
  "Route: <sip:;lr>\r\n",
  "4294967296",
  "é\u0000\uD83D\uDE00",
];

/** The messages to mutate: those of real peers, and those of RFC 4475 and RFC 5118. */
const seeds: readonly string[] = [
  ...Object.values(realMessages),
  ...Object.values(ipv6TortureMessages),
  ...tortureNames.map((name) => tortureMessage(name).toString("utf8")),
];

/** A hostile datagram: random bytes, or a known message cut, changed or enlarged. */
export function hostileDatagram(random: () => number): Buffer {
  const below = (limit: number): number => Math.floor(random() * limit);
  const kind = random();
  if (kind < 0.1) return Buffer.from(Array.from({ length: below(600) }, () => below(256)));
  const text = seeds[below(seeds.length)] ?? "";
  if (kind < 0.25) return Buffer.from(text).subarray(0, below(text.length));
  if (kind < 0.251)
    return Buffer.from(text.replace("\r\n", `\r\nX-Padding: ${"y".repeat(below(80_000))}\r\n`));
  // A unique branch and Call-ID, so that most messages open their own transactions.
  const unique = text
    .replace(/branch=[^;,\r]*/, `branch=z9hG4bK${below(2 ** 31)}`)
    .replace(/(Call-ID|i): /, `$1: ${below(2 ** 31)}`);
  if (kind < 0.5) return Buffer.from(unique);
  return kind < 0.75 ? spliced(unique, below, fragments) : flipped(Buffer.from(unique), below);
}

/** The text with some of these pieces written over it. */
export function spliced(text: string, below: (limit: number) => number, pieces: readonly string[]): Buffer {
  let mutated = text;
  for (let change = 0; change <= below(4); change++) {
    const at = below(mutated.length);
    const piece = pieces[below(pieces.length)] ?? "";
    mutated = mutated.slice(0, at) + piece + mutated.slice(at + below(12));
  }
  return Buffer.from(mutated);
}

/** A copy of the bytes with some of them changed. */
export function flipped(original: Uint8Array, below: (limit: number) => number): Buffer {
  const bytes = Buffer.from(original);
  for (let change = 0; change <= below(8); change++) bytes[below(bytes.length)] = below(256);
  return bytes;
}
