/**
 * Parses real-world SIP messages with Parley's parser and with `sip@0.0.6`, in alternating rounds of one process, and
 * compares the time per message.
 *
 *     node bench/sip-parser.ts [--json]
 *
 * Equal work: `sip@0.0.6` parses every structured header field while it reads a message; Parley parses the mandatory
 * ones and the others on access. This bench therefore accesses each field that the other parser has parsed: all Via
 * values, Contact, Route and Record-Route with the URIs of the routes, and every challenge and credential. Both start
 * from the same buffers.
 */
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { parseAuthentication } from "../packages/sip/src/grammar/authentication.ts";
import { parseUri } from "../packages/sip/src/grammar/uri.ts";
import { parseViaList, type Via } from "../packages/sip/src/grammar/via.ts";
import { addressesOf } from "../packages/sip/src/messages/message.ts";
import { parseMessage } from "../packages/sip/src/messages/parse.ts";
import { realMessages } from "../packages/sip/src/testing/messages.ts";
import { Yardstick } from "./support/yardstick.ts";

interface Oracle {
  parse(this: void, data: Buffer): unknown;
}

const requireFromSip = createRequire(new URL("../packages/sip/package.json", import.meta.url));

export interface SipParserResult {
  messages: number;
  parleyMicroseconds: number;
  sipMicroseconds: number;
  /** Parley's time divided by that of `sip@0.0.6`. */
  ratio: number;
}

const authenticationHeaders = [
  "www-authenticate",
  "proxy-authenticate",
  "authorization",
  "proxy-authorization",
] as const;

/** Parses everything that the other parser parses; returns the number of parts, so that no work is optimized away. */
function parseAll(data: Buffer): number {
  const parsed = parseMessage(data);
  if (!parsed.ok) throw new Error(`refused: ${parsed.reason}`);
  const { headers } = parsed.message;
  const vias: Via[] = [];
  for (const line of headers.getAll("via")) parseViaList(line, vias);
  let found = vias.length + (addressesOf(headers, "contact")?.length ?? 0);
  for (const name of ["route", "record-route"]) {
    for (const { uri } of addressesOf(headers, name) ?? []) if (parseUri(uri) !== undefined) found++;
  }
  for (const name of authenticationHeaders) {
    for (const line of headers.getAll(name)) found += parseAuthentication(line)?.parameters.size ?? 0;
  }
  return found;
}

function microsecondsPerMessage(
  parse: (data: Buffer) => unknown,
  messages: readonly Buffer[],
  rounds: number,
): number {
  const startedAt = process.hrtime.bigint();
  for (let round = 0; round < rounds; round++) for (const message of messages) parse(message);
  return Number(process.hrtime.bigint() - startedAt) / 1000 / (rounds * messages.length);
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** Medians over alternating samples, after warming up both parsers. */
export function run({
  samples = 15,
  rounds = 1500,
}: { samples?: number; rounds?: number } = {}): SipParserResult {
  const oracle: Oracle = requireFromSip("sip");
  const messages = Object.values(realMessages).map((text) => Buffer.from(text));
  const parley: number[] = [];
  const sip: number[] = [];
  microsecondsPerMessage(parseAll, messages, rounds);
  microsecondsPerMessage(oracle.parse, messages, rounds);
  for (let sample = 0; sample < samples; sample++) {
    parley.push(microsecondsPerMessage(parseAll, messages, rounds));
    sip.push(microsecondsPerMessage(oracle.parse, messages, rounds));
  }
  const parleyMicroseconds = median(parley);
  const sipMicroseconds = median(sip);
  return {
    messages: messages.length,
    parleyMicroseconds,
    sipMicroseconds,
    ratio: parleyMicroseconds / sipMicroseconds,
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const yardstick = new Yardstick();
  const result = run();
  console.table({
    Parley: { "µs per message": Number(result.parleyMicroseconds.toFixed(2)) },
    "sip@0.0.6": { "µs per message": Number(result.sipMicroseconds.toFixed(2)) },
  });
  console.log(`ratio ${result.ratio.toFixed(2)} (goal: at most 1.7), ${result.messages} messages`);
  const report = yardstick.finish({
    "Parley, a thousand messages": result.parleyMicroseconds,
    "sip@0.0.6, a thousand messages": result.sipMicroseconds,
  });
  if (process.argv.includes("--json")) console.log(JSON.stringify({ ...result, ...report }));
}
