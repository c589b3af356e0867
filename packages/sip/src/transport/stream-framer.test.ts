import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom } from "../testing/memory-network.ts";
import { StreamFramer } from "./stream-framer.ts";

function message(callId: string, body = "", contentLength = `Content-Length: ${body.length}`): string {
  return `OPTIONS sip:a@b SIP/2.0\r\nCall-ID: ${callId}\r\n${contentLength}\r\n\r\n${body}`;
}

/** What comes out when the text arrives in pieces of these sizes, the last one repeated. */
function frame(text: string, sizeOf: () => number): { kinds: string[]; failure: string | undefined } {
  const framer = new StreamFramer();
  const kinds: string[] = [];
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length;) {
    const end = start + Math.max(1, sizeOf());
    const { frames, failure } = framer.push(bytes.subarray(start, end));
    for (const each of frames) kinds.push(each.kind === "message" ? each.data.toString() : "crlf");
    if (failure !== undefined) return { kinds, failure };
    start = end;
  }
  return { kinds, failure: undefined };
}

test("however the stream is cut, the same messages come out", () => {
  const messages = [message("1", "v=0\r\n\r\nx"), message("2"), message("3", "y".repeat(9000)), message("4")];
  const text = `${messages[0]}\r\n\r\n${messages[1]}${messages[2]}\r\n${messages[3]}`;
  const expected = [messages[0], "crlf", "crlf", messages[1], messages[2], "crlf", messages[3]];
  assert.deepEqual(frame(text, () => text.length).kinds, expected);
  assert.deepEqual(frame(text, () => 1).kinds, expected);
  const random = seededRandom(5923);
  for (let round = 0; round < 100; round++) {
    assert.deepEqual(frame(text, () => Math.floor(random() * 700)).kinds, expected);
  }
});

test("the length is read in compact form, folded, and twice where both are the same", () => {
  for (const header of [
    "l: 3",
    "CONTENT-LENGTH  :\r\n 3",
    "Content-Length: 3\r\nl: 3",
    "Content-Length:3\t",
  ]) {
    const text = message("1", "abc", header);
    assert.deepEqual(frame(text + text, () => 5).kinds, [text, text], header);
  }
});

test("a stream that cannot be followed is given up", () => {
  const failures: Record<string, string> = {
    "GET / HTTP/1.1\r\n\r\n": "no SIP",
    ["\x16\x03\x01\x02\x00\x01".repeat(2000)]: "no SIP",
    [message("1", "", "Subject: none")]: "no usable Content-Length",
    [message("1", "abc", "Content-Length: -3")]: "no usable Content-Length",
    [message("1", "abc", "Content-Length: 3\r\nl: 4")]: "no usable Content-Length",
    [message("1", "", "Content-Length: 999999")]: "message too large",
    [`OPTIONS sip:a@b SIP/2.0\r\n${"X: y\r\n".repeat(12_000)}`]: "header fields too large",
    "\rOPTIONS": "no SIP",
  };
  for (const [text, failure] of Object.entries(failures)) {
    const padded = text.length < 9000 ? text + "z".repeat(9000) : text;
    assert.equal(frame(padded, () => 1000).failure, failure, text.slice(0, 60));
  }
});

test("what comes before the failure is delivered", () => {
  const result = frame(`${message("1")}garbage\r\n`, () => 10_000);
  assert.deepEqual(result, { kinds: [message("1")], failure: "no SIP" });
});
