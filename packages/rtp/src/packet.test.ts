import assert from "node:assert/strict";
import { test } from "node:test";
import { isRtcp, parseRtp, writeRtp } from "./packet.ts";

const PACKET = {
  marker: true,
  payloadType: 101,
  sequenceNumber: 0xfffe,
  timestamp: 0xfffffff0,
  ssrc: 0xdeadbeef,
  payload: Uint8Array.of(1, 2, 3, 4),
};

function withFirstByte(first: number, rest: readonly number[]): Uint8Array {
  return Uint8Array.of(first, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, ...rest);
}

test("a written packet is parsed to the same packet", () => {
  const parsed = parseRtp(writeRtp(PACKET));
  assert.deepEqual({ ...parsed, payload: Uint8Array.from(parsed?.payload ?? []) }, PACKET);
});

test("the header has the layout of RFC 3550 §5.1", () => {
  assert.equal(Buffer.from(writeRtp(PACKET)).toString("hex"), "80e5fffefffffff0deadbeef01020304");
});

test("the payload is a view into the datagram", () => {
  const datagram = writeRtp(PACKET);
  assert.equal(parseRtp(datagram)?.payload.buffer, datagram.buffer);
});

test("CSRC list, header extension and padding are not part of the payload", () => {
  const csrc = [9, 9, 9, 9, 8, 8, 8, 8];
  const extension = [0xbe, 0xde, 0, 1, 7, 7, 7, 7];
  const parsed = parseRtp(withFirstByte(0xb2, [...csrc, ...extension, 5, 6, 0, 0, 3]));
  assert.deepEqual([...(parsed?.payload ?? [])], [5, 6]);
});

test("an empty payload is a packet", () => {
  assert.equal(parseRtp(withFirstByte(0x80, []))?.payload.length, 0);
  assert.equal(parseRtp(withFirstByte(0xa0, [0, 0, 0, 4]))?.payload.length, 0);
});

test("malformed datagrams are rejected", () => {
  const malformed: Record<string, Uint8Array> = {
    empty: new Uint8Array(),
    "shorter than a header": writeRtp(PACKET).subarray(0, 11),
    "version 1": withFirstByte(0x40, [1]),
    "CSRC list beyond the end": withFirstByte(0x82, [1, 2, 3, 4]),
    "extension header beyond the end": withFirstByte(0x90, [0, 0, 0]),
    "extension beyond the end": withFirstByte(0x90, [0, 0, 0, 2, 1, 1, 1, 1]),
    "padding of zero bytes": withFirstByte(0xa0, [1, 0]),
    "padding beyond the payload": withFirstByte(0xa0, [1, 3]),
  };
  for (const [name, datagram] of Object.entries(malformed)) {
    assert.equal(parseRtp(datagram), undefined, name);
  }
});

test("RTCP on the same port is recognized by its packet type", () => {
  const senderReport = new Uint8Array(28);
  senderReport.set([0x80, 200, 0, 6]);
  assert.equal(isRtcp(senderReport), true);
  assert.equal(parseRtp(senderReport), undefined);
  assert.equal(isRtcp(writeRtp(PACKET)), false);
  assert.equal(isRtcp(Uint8Array.of(0x40, 200)), false);
  assert.equal(isRtcp(new Uint8Array()), false);
});
