import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { type NameAddress } from "../grammar/name-address.ts";
import { unquote } from "../grammar/scanner.ts";
import { parseViaList, type Via } from "../grammar/via.ts";
import { realMessages } from "../testing/messages.ts";
import { addressesOf, serializeMessage, type SipMessage } from "./message.ts";
import { parseMessage, type ParseResult } from "./parse.ts";

const require = createRequire(import.meta.url);

function parse(text: string): ParseResult {
  return parseMessage(Buffer.from(text));
}

function parseOk(text: string): SipMessage {
  const result = parse(text);
  assert.ok(result.ok, result.ok ? "" : result.reason);
  return result.message;
}

const head = [
  "INVITE sip:bob@example.com SIP/2.0",
  "Via: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK1",
  "From: <sip:a@example.com>;tag=1",
  "To: <sip:bob@example.com>",
  "Call-ID: c1",
  "CSeq: 1 INVITE",
];

function invite(...extra: string[]): string {
  return [...head, ...extra, "", ""].join("\r\n");
}

test("compact names, folded lines and white space before the colon are read", () => {
  const { headers } = parseOk(invite("s : a\r\n  folded\r\n\tvalue ", "K: x,y", "Supported: z", "x-Own: 1"));
  assert.equal(headers.get("Subject"), "a folded value");
  assert.deepEqual(headers.getList("supported"), ["x", "y", "z"]);
  assert.equal(headers.get("X-OWN"), "1");
});

test("empty lines before the start line are ignored", () => {
  assert.equal(parseOk(`\r\n\r\n${invite()}`).callId, "c1");
});

test("the body ends where Content-Length says", () => {
  assert.equal(parseOk(invite("Content-Length: 3") + "abcdef").body.toString(), "abc");
  assert.equal(parseOk(invite() + "abcdef").body.toString(), "abcdef");
  assert.equal(parse(invite("Content-Length: 7") + "abcdef").ok, false);
});

test("what cannot be understood names its reason, and whether it can be answered", () => {
  const cases: [string, number, string, boolean][] = [
    ["hello", 400, "Bad Start Line", false],
    [invite("Content-Length: -1"), 400, "Bad Content-Length", true],
    [invite("Content-Length: 0", "l: 0"), 400, "Bad Content-Length", true],
    [invite("From: <sip:again@example.com>;tag=2"), 400, "Bad From", true],
    [invite("no colon"), 400, "Bad Header Field", true],
    [invite(": nameless"), 400, "Bad Header Field", true],
    [invite("Max-Forwards: many"), 400, "Bad Max-Forwards", true],
    [invite("Subject: bare\nline end"), 400, "Bad Line End", true],
    [invite().replace("SIP/2.0\r", "SIP/3.0\r"), 505, "Version Not Supported", true],
    [invite().replace("CSeq: 1 INVITE", "CSeq: 1 BYE"), 400, "CSeq Method Mismatch", true],
    [invite().replace("Call-ID: c1", "Call-ID:"), 400, "Bad Call-ID", true],
    [invite().replace("Via: SIP/2.0", "Via: SIP"), 400, "Bad Via", false],
    [invite().replace("To:", "Too:"), 400, "Bad To", true],
    [invite().replaceAll("INVITE", "ACK").replace("To:", "Too:"), 400, "Bad To", false],
    [invite().slice(0, -2), 400, "Header Fields Not Ended", true],
    [
      invite(...Array.from({ length: 300 }, (_, index) => `X: ${index}`)),
      400,
      "Too Many Header Fields",
      true,
    ],
    [invite(`X: ${"a".repeat(20_000)}`), 400, "Bad Header Field", true],
    [invite(`X: ${"a".repeat(70_000)}`), 513, "Message Too Large", false],
    ["SIP/2.0 200 OK\r\nVia: SIP/2.0/UDP a\r\n\r\n", 400, "Bad From", false],
    ["SIP/2.0 99 Low\r\n\r\n", 400, "Bad Start Line", false],
  ];
  for (const [text, status, reason, isAnswerable] of cases) {
    const result = parse(text);
    assert.ok(!result.ok, reason);
    assert.deepEqual(
      [result.status, result.reason, result.request !== undefined],
      [status, reason, isAnswerable],
    );
  }
});

test("a written message reads back the same", () => {
  for (const text of Object.values(realMessages)) {
    const message = parseOk(text);
    const headers = message.headers.copyOf(["via", "from", "to", "call-id", "cseq", "contact", "user-agent"]);
    const body = message.body.toString();
    const written =
      message.kind === "request"
        ? serializeMessage({ method: message.method, requestUri: message.requestUri, headers, body })
        : serializeMessage({ status: message.status, reason: message.reason, headers, body });
    const again = parseMessage(written);
    assert.ok(again.ok);
    assert.deepEqual(
      { ...again.message, headers: undefined, body },
      { ...message, headers: undefined, body },
    );
  }
});

test("a value cannot smuggle in a header field of its own", () => {
  const message = parseOk(invite());
  const headers = message.headers.copyOf(["via", "from", "to", "call-id", "cseq"]);
  headers.add("Subject", "x\r\nEvil: 1\r\n\r\nbody");
  const again = parseMessage(
    serializeMessage({ method: "INVITE", requestUri: "sip:a@b", headers, body: "" }),
  );
  assert.ok(again.ok);
  assert.equal(again.message.headers.has("evil"), false);
});

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

test("real messages mean the same to sip@0.0.6", () => {
  for (const [name, text] of Object.entries(realMessages)) {
    const ours = parseOk(text);
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

/** RFC 4475's messages as files of the other parser's own tests: what becomes of each here. */
const torture: Readonly<Record<string, string>> = {
  "wsinv.dat": "ok",
  "intmeth.dat": "ok",
  "esc01.dat": "ok",
  "escnull.dat": "ok",
  "esc02.dat": "ok",
  "lwsdisp.dat": "ok",
  "longreq.dat": "ok",
  "dblreq.dat": "ok",
  "semiuri.dat": "ok",
  "transports.dat": "ok",
  "mpart01.dat": "ok",
  "unreason.dat": "ok",
  "noreason.dat": "ok",
  "badinv01.dat": "400 Bad Via",
  "clerr.dat": "400 Bad Content-Length",
  "ncl.dat": "400 Bad Content-Length",
  "scalar02.dat": "400 Bad CSeq",
  "scalarlg.dat": "400 Bad CSeq",
  "quotbal.dat": "400 Bad To",
  "ltgtruri.dat": "ok",
  "lwsruri.dat": "400 Bad Start Line",
  "lwsstart.dat": "400 Bad Start Line",
  "trws.dat": "400 Bad Start Line",
  "badvers.dat": "505 Version Not Supported",
  "mismatch01.dat": "400 CSeq Method Mismatch",
  "mismatch02.dat": "400 CSeq Method Mismatch",
  "bigcode.dat": "400 Bad Start Line",
  "badbranch.dat": "ok",
  "insuf.dat": "400 Bad From",
  "multi01.dat": "400 Bad From",
  "mcl01.dat": "400 Bad Content-Length",
  "zeromf.dat": "ok",
  "inv2543.dat": "ok",
};

test("the torture messages of RFC 4475 are taken or refused as it asks", () => {
  for (const [file, expected] of Object.entries(torture)) {
    const result = parseMessage(readFileSync(require.resolve(`sip/test/messages/${file}`)));
    assert.equal(result.ok ? "ok" : `${result.status} ${result.reason}`, expected, file);
  }
});
