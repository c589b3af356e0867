import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { type NameAddress } from "../grammar/name-address.ts";
import { isToken, unquote } from "../grammar/scanner.ts";
import { parseUri } from "../grammar/uri.ts";
import { parseViaList, type Via } from "../grammar/via.ts";
import { seededRandom } from "@parley/testing";
import { realMessages } from "../testing/messages.ts";
import { hostileDatagram } from "../testing/mutate.ts";
import { addressesOf, type SipMessage } from "./message.ts";
import { parseMessage } from "./parse.ts";

const require = createRequire(import.meta.url);

interface OracleAddress {
  name?: string;
  uri: string | { host: string; user?: string };
  params: Record<string, string | null>;
}

interface OracleMessage {
  method?: string;
  uri?: string;
  status?: number;
  reason?: string;
  content: string;
  headers: Record<string, unknown> & {
    from: OracleAddress;
    to: OracleAddress;
    "call-id": string;
    cseq: { seq: number; method: string };
    via: { protocol: string; host: string; port?: number; params: Record<string, string | null> }[];
    contact?: OracleAddress[];
    route?: OracleAddress[];
    "record-route"?: OracleAddress[];
  };
}

const oracle: { parse(this: void, data: Buffer): OracleMessage | undefined } = require("sip");

const parametersOf = (parameters: ReadonlyMap<string, string>): unknown =>
  Object.fromEntries([...parameters].map(([name, value]) => [name, value === "" ? null : value]));

const shortAddress = ({ displayName, parameters }: NameAddress): unknown => [
  displayName,
  parametersOf(parameters),
];

const shortOracleAddress = ({ name, params }: OracleAddress): unknown => [unquote(name ?? ""), params];

test("sip@0.0.6 reads real messages the same way", () => {
  for (const [name, text] of Object.entries(realMessages)) {
    const parsed = parseMessage(Buffer.from(text));
    assert.ok(parsed.ok, name);
    const ours = parsed.message;
    const theirs = oracle.parse(Buffer.from(text));
    assert.ok(theirs !== undefined, name);
    if (ours.kind === "request")
      assert.deepEqual([ours.method, ours.requestUri], [theirs.method, theirs.uri], name);
    else assert.deepEqual([ours.status, ours.reason], [theirs.status, theirs.reason], name);
    assert.deepEqual(
      [ours.from.uri, ours.to.uri, ours.callId],
      [theirs.headers.from.uri, theirs.headers.to.uri, theirs.headers["call-id"]],
    );
    assert.deepEqual(
      [shortAddress(ours.from), shortAddress(ours.to)],
      [theirs.headers.from, theirs.headers.to].map(shortOracleAddress),
    );
    assert.deepEqual({ seq: ours.cseq.sequence, method: ours.cseq.method }, theirs.headers.cseq);
    assert.equal(ours.body.toString("latin1"), theirs.content);
    const vias: Via[] = [];
    for (const line of ours.headers.getAll("via")) assert.ok(parseViaList(line, vias));
    assert.deepEqual(
      vias.map((via) => [via.transport, via.host, via.port, parametersOf(via.parameters)]),
      theirs.headers.via.map((via) => [via.protocol, via.host, via.port, via.params]),
    );
    for (const list of ["contact", "route", "record-route"] as const) {
      const addresses = addressesOf(ours.headers, list)?.map(shortAddress);
      assert.deepEqual(addresses, (theirs.headers[list] ?? []).map(shortOracleAddress), `${name}: ${list}`);
    }
    for (const generic of ["user-agent", "subject", "max-forwards", "content-type"]) {
      const theirValue: unknown = theirs.headers[generic];
      const unfolded = typeof theirValue === "string" ? theirValue.replace(/\r\n\s+/g, " ") : undefined;
      assert.equal(ours.headers.get(generic), unfolded, `${name}: ${generic}`);
    }
  }
});

/** The fields that match and answer a message, in both readings. */
function essentials(ours: SipMessage, theirs: OracleMessage): Record<string, [unknown, unknown]> {
  const { headers } = theirs;
  const via = headers.via[0];
  return {
    start:
      ours.kind === "request"
        ? [`${ours.method} ${ours.requestUri}`, `${theirs.method} ${theirs.uri}`]
        : [ours.status, theirs.status],
    from: [ours.from.uri, headers.from.uri],
    fromTag: [ours.from.parameters.get("tag"), headers.from.params["tag"] ?? undefined],
    to: [ours.to.uri, headers.to.uri],
    toTag: [ours.to.parameters.get("tag"), headers.to.params["tag"] ?? undefined],
    callId: [ours.callId, headers["call-id"]],
    cseq: [`${ours.cseq.sequence} ${ours.cseq.method}`, `${headers.cseq.seq} ${headers.cseq.method}`],
    viaHost: [`${ours.topVia.host}:${ours.topVia.port}`, `${via?.host}:${via?.port}`],
    branch: [ours.topVia.parameters.get("branch"), via?.params["branch"] ?? undefined],
  };
}

/** True if the other parser departs from the grammar, or if both readings are valid. */
function isExplained(name: string, ours: unknown, theirs: unknown): boolean {
  if (typeof ours !== "string") return false;
  switch (name) {
    // It decodes escapes in a method, although a method has none (RFC 4475 §3.1.1.5).
    case "start":
    case "cseq":
      return ours.includes("%");
    // It ends a host at the first colon, so it loses IPv6 addresses and the text after them.
    case "viaHost":
      return ours.startsWith("[");
    // It keeps spaces inside the angle brackets, and reads a name with unusual characters as the URI.
    case "from":
    case "to":
      return typeof theirs === "string" && (theirs.trim() === ours || parseUri(theirs) === undefined);
    // It ends a value at the first character that is not a token character, and loses the text after a misread
    // part.
    default:
      return !isToken(ours) || theirs === undefined;
  }
}

test("sip@0.0.6 reads mutated messages the same way if it reads them", () => {
  const random = seededRandom(4475);
  let bothRead = 0;
  const differences: unknown[] = [];
  for (let count = 0; count < 30_000; count++) {
    const data = hostileDatagram(random);
    const parsed = parseMessage(data);
    const theirs = parsed.ok ? oracle.parse(data) : undefined;
    if (!parsed.ok || theirs === undefined) continue;
    const text = data.toString("latin1");
    // The other parser reads bytes as characters and uses the last of two parameters with one name; ours uses the
    // first.
    if (/[^\t\r\n\x20-\x7e]/.test(text) || /;\s*(tag|branch)\s*=[^\r]*;\s*\1\s*=/i.test(text)) continue;
    bothRead++;
    for (const [name, [ours, other]] of Object.entries(essentials(parsed.message, theirs))) {
      if (ours !== other && !isExplained(name, ours, other)) {
        differences.push([name, ours, other, text]);
      }
    }
  }
  assert.deepEqual(differences, []);
  assert.ok(bothRead > 5000, `${bothRead} read by both`);
});
