import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32 } from "node:zlib";
import { parseStun, type StunMessage, writeStun } from "./stun-message.ts";

const PASSWORD = "VOkJxbRl1RmTxUk/WvJxBt";
const TRANSACTION_ID = Buffer.from("b7e7a701bc34d686fa87dfae", "hex");

/** RFC 5769 §2.1. */
const request = Buffer.from(
  "000100582112a442b7e7a701bc34d686fa87dfae802200105354554e207465737420636c69656e74" +
    "002400046e0001ff80290008932ff9b151263b36000600096576746a3a68367659202020" +
    "000800149aeaa70cbfd8cb56781ef2b5b2d3f249c1b571a280280004e57a3bcf",
  "hex",
);
/** RFC 5769 §2.2. */
const responseFromIPv4 = Buffer.from(
  "0101003c2112a442b7e7a701bc34d686fa87dfae8022000b7465737420766563746f7220002000080001a147e112a643" +
    "000800142b91f599fd9e90c38c7489f92af9ba53f06be7d780280004c07d4c96",
  "hex",
);
/** RFC 5769 §2.3. */
const responseFromIPv6 = Buffer.from(
  "010100482112a442b7e7a701bc34d686fa87dfae8022000b7465737420766563746f7220" +
    "002000140002a1470113a9faa5d3f179bc25f4b5bed2b9d9" +
    "00080014a382954e4be67bf11784c97c8292c275bfe3ed4180280004c8fb0b4c",
  "hex",
);

test("the sample request of RFC 5769 is parsed and authenticated", () => {
  const message = parseStun(request) ?? assert.fail();
  assert.equal(message.class, "request");
  assert.deepEqual(message.transactionId, TRANSACTION_ID);
  assert.equal(message.username, "evtj:h6vY");
  assert.equal(message.priority, 0x6e0001ff);
  assert.equal(message.controlled, 0x932ff9b151263b36n);
  assert.equal(message.controlling, undefined);
  assert.deepEqual(message.notUnderstood, []);
  assert.ok(message.isAuthentic(PASSWORD));
  assert.ok(!message.isAuthentic("another"));
});

test("the sample responses of RFC 5769 contain the request's source", () => {
  const mapped: [Buffer, string][] = [
    [responseFromIPv4, "192.0.2.1"],
    [responseFromIPv6, "2001:db8:1234:5678:11:2233:4455:6677"],
  ];
  for (const [datagram, address] of mapped) {
    const message = parseStun(datagram) ?? assert.fail();
    assert.equal(message.class, "success");
    assert.deepEqual(message.mappedAddress, { address, port: 32_853 });
    assert.ok(message.isAuthentic(PASSWORD));
  }
});

test("a written message is parsed to the same values", () => {
  const messages: StunMessage[] = [
    {
      class: "request",
      transactionId: TRANSACTION_ID,
      username: "them:us",
      priority: 0x7fffffff,
      controlling: 0xfedcba9876543210n,
      useCandidate: true,
    },
    { class: "request", transactionId: TRANSACTION_ID, username: "us:them", priority: 1, controlled: 0n },
    { class: "success", transactionId: TRANSACTION_ID, mappedAddress: { address: "10.1.2.3", port: 65_535 } },
    { class: "success", transactionId: TRANSACTION_ID, mappedAddress: { address: "2001:db8::7", port: 1 } },
    { class: "error", transactionId: TRANSACTION_ID, errorCode: 487 },
  ];
  for (const message of messages) {
    const { isAuthentic, notUnderstood, ...read } = parseStun(writeStun(message, "p")) ?? assert.fail();
    const { mappedAddress } = message;
    const address = mappedAddress?.address.replace("::", ":0:0:0:0:0:");
    assert.deepEqual(read, {
      ...message,
      ...(mappedAddress !== undefined && { mappedAddress: { ...mappedAddress, address } }),
    });
    assert.ok(isAuthentic("p"));
    assert.deepEqual(notUnderstood, []);
  }
});

test("a message that was changed, truncated or is not STUN is rejected", () => {
  for (const index of request.keys()) {
    const changed = Buffer.from(request);
    changed[index] = (changed[index] ?? 0) ^ 0x40;
    assert.equal(parseStun(changed), undefined, String(index));
    assert.equal(parseStun(request.subarray(0, index)), undefined);
  }
  assert.equal(parseStun(Buffer.from("hello")), undefined);
});

test("unknown comprehension-required attributes are reported; optional ones are ignored", () => {
  const withAttribute = (type: string): Buffer => {
    // In place of SOFTWARE, with the FINGERPRINT made anew.
    const message = Buffer.from(request);
    message.write(type, HEADER_BYTES, "hex");
    return refingerprinted(message);
  };
  assert.deepEqual(parseStun(withAttribute("0030"))?.notUnderstood, [0x30]);
  assert.deepEqual(parseStun(withAttribute("c057"))?.notUnderstood, []);
});

test("any attributes with a valid FINGERPRINT, which strangers can compute, are parsed without an exception", () => {
  const known = [0x06, 0x08, 0x09, 0x0a, 0x20, 0x24, 0x25, 0x8029, 0x802a, 0x30, 0xc057];
  let readCount = 0;
  for (const type of known) {
    for (let length = 0; length <= 24; length++) {
      const attribute = Buffer.alloc(4 + Math.ceil(length / 4) * 4, 0xa5);
      attribute.writeUInt16BE(type, 0);
      attribute.writeUInt16BE(length, 2);
      const header = Buffer.from(request.subarray(0, HEADER_BYTES));
      header.writeUInt16BE(attribute.length + 8, 2);
      const fingerprint = Buffer.from("8028000400000000", "hex");
      const message = parseStun(refingerprinted(Buffer.concat([header, attribute, fingerprint])));
      if (message === undefined) continue;
      readCount++;
      assert.equal(message.isAuthentic(PASSWORD), false);
    }
  }
  assert.ok(readCount > known.length);
});

const HEADER_BYTES = 20;

function refingerprinted(datagram: Buffer): Buffer {
  const before = datagram.subarray(0, -8);
  const fingerprint = (crc32(before) ^ 0x5354554e) >>> 0;
  datagram.writeUInt32BE(fingerprint, datagram.length - 4);
  return datagram;
}
