import { realMessages } from "./messages.ts";

const fragments = [
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

/** A hostile datagram: random bytes, a real message cut or changed in places, or one blown up. */
export function hostileDatagram(random: () => number): Buffer {
  const below = (limit: number): number => Math.floor(random() * limit);
  const kind = random();
  if (kind < 0.1) return Buffer.from(Array.from({ length: below(600) }, () => below(256)));
  const texts = Object.values(realMessages);
  const text = texts[below(texts.length)] ?? "";
  if (kind < 0.25) return Buffer.from(text).subarray(0, below(text.length));
  if (kind < 0.251)
    return Buffer.from(text.replace("\r\n", `\r\nX-Padding: ${"y".repeat(below(80_000))}\r\n`));
  // A unique branch and Call-ID, so that most of these open transactions of their own.
  let mutated = text
    .replace(/branch=[^;,\r]*/, `branch=z9hG4bK${below(2 ** 31)}`)
    .replace(/(Call-ID|i): /, `$1: ${below(2 ** 31)}`);
  if (kind < 0.5) return Buffer.from(mutated);
  if (kind < 0.75) {
    for (let change = 0; change <= below(4); change++) {
      const at = below(mutated.length);
      const fragment = fragments[below(fragments.length)] ?? "";
      mutated = mutated.slice(0, at) + fragment + mutated.slice(at + below(12));
    }
    return Buffer.from(mutated);
  }
  const bytes = Buffer.from(mutated);
  for (let change = 0; change <= below(8); change++) bytes[below(bytes.length)] = below(256);
  return bytes;
}
