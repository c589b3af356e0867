import assert from "node:assert/strict";
import { test } from "node:test";
import { realMessages } from "../testing/messages.ts";
import { serializeMessage, type SipMessage } from "./message.ts";
import { parseMessage, type ParseResult } from "./parse.ts";

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

test("compact names, folded lines and white space before the colon are accepted", () => {
  const { headers } = parseOk(invite("s : a\r\n  folded\r\n\tvalue ", "K: x,y", "Supported: z", "x-Own: 1"));
  assert.equal(headers.get("Subject"), "a folded value");
  assert.deepEqual(headers.getList("supported"), ["x", "y", "z"]);
  assert.equal(headers.get("X-OWN"), "1");
});

test("a control character is allowed behind a backslash in quotes", () => {
  assert.equal(parseOk(invite('Subject: "\\\0\\\u0007"\tx')).headers.get("subject"), '"\\\0\\\u0007"\tx');
});

test("empty lines before the start line are ignored", () => {
  assert.equal(parseOk(`\r\n\r\n${invite()}`).callId, "c1");
});

test("the body ends where Content-Length says", () => {
  assert.equal(parseOk(invite("Content-Length: 3") + "abcdef").body.toString(), "abc");
  assert.equal(parseOk(invite() + "abcdef").body.toString(), "abcdef");
  assert.equal(parse(invite("Content-Length: 7") + "abcdef").ok, false);
});

test("a parse failure has a reason, and a request if it can be answered", () => {
  const cases: [string, number, string, boolean][] = [
    ["hello", 400, "Bad Start Line", false],
    [invite("Content-Length: -1"), 400, "Bad Content-Length", true],
    [invite("Content-Length: 0", "l: 0"), 400, "Bad Content-Length", true],
    [invite("From: <sip:again@example.com>;tag=2"), 400, "Bad From", true],
    [invite("no colon"), 400, "Bad Header Field", true],
    [invite(": nameless"), 400, "Bad Header Field", true],
    [invite("Max-Forwards: many"), 400, "Bad Max-Forwards", true],
    [invite("Subject: bare\nline end"), 400, "Bad Line End", true],
    [invite("Subject: a\0b"), 400, "Control Character", true],
    [invite("Subject: \u007F"), 400, "Control Character", true],
    [invite('Subject: "\\\\\u0001"'), 400, "Control Character", true],
    [invite("Subject: \\\0"), 400, "Control Character", true],
    [invite().replace("c1", "c\0"), 400, "Control Character", true],
    [invite().replace("c1", '"\\\0"'), 400, "Bad Call-ID", true],
    ["SIP/2.0 200 O\0K\r\n\r\n", 400, "Bad Start Line", false],
    [invite(...Array.from({ length: 300 }, () => "no colon")), 400, "Too Many Header Fields", true],
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

test("a serialized message parses to the same message", () => {
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

test("a value cannot inject a header field", () => {
  const message = parseOk(invite());
  const headers = message.headers.copyOf(["via", "from", "to", "call-id", "cseq"]);
  headers.add("Subject", "x\r\nEvil: 1\r\n\r\nbody");
  const again = parseMessage(
    serializeMessage({ method: "INVITE", requestUri: "sip:a@b", headers, body: "" }),
  );
  assert.ok(again.ok);
  assert.equal(again.message.headers.has("evil"), false);
});

test("a name in ISO 8859-1 is decoded if the message is not UTF-8", () => {
  const text = invite("Subject: x").replace("<sip:a@", '"Müller" <sip:a@');
  for (const encoding of ["utf8", "latin1"] as const) {
    const parsed = parseMessage(Buffer.from(text, encoding));
    assert.equal(parsed.ok && parsed.message.from.displayName, "Müller");
  }
});
