import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom } from "@parley/testing";
import { readMultipart } from "./multipart.ts";

const lines = (...each: string[]): string => each.join("\r\n");

/** Type, text and handling of each part, for readable failures. */
function parts(contentType: string, body: string): (string | undefined)[][] | undefined {
  const found = readMultipart(contentType, Buffer.from(body, "latin1"));
  return found?.map(({ type, body: content, handling }) => [type, content.toString("latin1"), handling]);
}

test("parts of a body are returned in order, with their type and handling", () => {
  const body = lines(
    "A preamble, which is ignored.",
    "--unique-1 ",
    "Content-Type: application/SDP;charset=utf-8",
    "",
    "v=0",
    "o=- 1 1 IN IP4 192.0.2.1",
    "",
    "--unique-1",
    "Content-Type: application/ISUP;version=nxv3;",
    " base=etsi121",
    'Content-Disposition: signal;\r\n\thandling="optional"',
    "",
    "\u0001\u0000\u0049",
    "--unique-1--",
    "An epilogue.",
  );
  assert.deepEqual(parts('multipart/mixed; boundary="unique-1"', body), [
    ["application/sdp", "v=0\r\no=- 1 1 IN IP4 192.0.2.1\r\n", undefined],
    ["application/isup", "\u0001\u0000\u0049", "optional"],
  ]);
});

test("a part without headers is text, and a nested multipart is split", () => {
  const inner = lines("--b", "Content-Type: application/sdp", "", "v=0", "--b--");
  const body = lines(
    "--a",
    "",
    "plain",
    "--a",
    "Content-Type: multipart/alternative;boundary=b",
    "",
    inner,
    "--a--",
  );
  assert.deepEqual(parts("Multipart/Mixed;boundary=a", body), [
    ["text/plain", "plain", undefined],
    ["application/sdp", "v=0", undefined],
  ]);
});

test("an unreadable body has no parts", () => {
  const body = lines("--a", "", "plain", "--a--");
  for (const [contentType, text] of [
    ["multipart/mixed", body],
    [`multipart/mixed;boundary=${"a".repeat(71)}`, body],
    ["multipart/mixed;boundary=b", body],
    ["multipart/mixed;boundary=a", lines("--a", "", "no end")],
    ["multipart/mixed;boundary=a", "--a--"],
    ["multipart/mixed;boundary=a", lines("--a", "Content-Type: application/sdp", "--a--")],
    ["multipart/mixed;boundary=a", lines(...Array.from({ length: 17 }, () => "--a\r\n\r\nx"), "--a--")],
  ] as const) {
    assert.equal(parts(contentType, text), undefined, contentType);
  }
  let nested = "x";
  for (let depth = 0; depth < 5; depth++)
    nested = lines("--a", "Content-Type: multipart/mixed;boundary=a", "", nested, "--a--");
  assert.equal(parts("multipart/mixed;boundary=a", nested), undefined);
});

test("no mutation of a body throws", () => {
  const random = seededRandom(2046);
  const body = lines("--a", "Content-Type: application/sdp", "", "v=0", "--a", "", "plain", "--a--");
  for (let round = 0; round < 20_000; round++) {
    const bytes = Buffer.from(body);
    for (let change = 0; change < 4; change++)
      bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
    readMultipart("multipart/mixed;boundary=a", bytes.subarray(0, Math.floor(random() * (bytes.length + 1))));
  }
});
