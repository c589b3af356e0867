import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom } from "@parley/testing";
import { StreamFramer } from "./stream-framer.ts";

function message(callId: string, body = "", contentLength = `Content-Length: ${body.length}`): string {
  return `OPTIONS sip:a@b SIP/2.0\r\nCall-ID: ${callId}\r\n${contentLength}\r\n\r\n${body}`;
}

/** The frames of a text that arrives in pieces of these sizes; the last size repeats. */
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

test("the same messages are framed for every chunk size", () => {
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

test("the length is read in compact form, folded, and twice if both values are equal", () => {
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

test("an unframeable stream fails", () => {
  const failures: Record<string, string> = {
    "GET / HTTP/1.1\r\n\r\n": "not SIP",
    ["\x16\x03\x01\x02\x00\x01".repeat(2000)]: "not SIP",
    [message("1", "", "Subject: none")]: "missing or invalid Content-Length",
    [message("1", "abc", "Content-Length: -3")]: "missing or invalid Content-Length",
    [message("1", "abc", "Content-Length: 3\r\nl: 4")]: "missing or invalid Content-Length",
    [message("1", "", "Content-Length: 999999")]: "message too large",
    [`OPTIONS sip:a@b SIP/2.0\r\n${"X: y\r\n".repeat(12_000)}`]: "header fields too large",
    "\rOPTIONS": "not SIP",
  };
  for (const [text, failure] of Object.entries(failures)) {
    const padded = text.length < 9000 ? text + "z".repeat(9000) : text;
    assert.equal(frame(padded, () => 1000).failure, failure, text.slice(0, 60));
  }
});

test("messages before the failure are delivered", () => {
  const result = frame(`${message("1")}garbage\r\n`, () => 10_000);
  assert.deepEqual(result, { kinds: [message("1")], failure: "not SIP" });
});
