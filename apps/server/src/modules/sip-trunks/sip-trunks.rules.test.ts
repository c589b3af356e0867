import assert from "node:assert/strict";
import test from "node:test";
import { seededRandom } from "@parley/testing";
import {
  areDistinguishable,
  type InboundTrunk,
  isAddressListed,
  isAddressOrBlock,
  parseProxyAddress,
} from "./sip-trunks.rules.ts";

test("a proxy is a host name or an address, with or without a port", () => {
  assert.deepEqual(parseProxyAddress("sip.example.com"), { host: "sip.example.com", port: undefined });
  assert.deepEqual(parseProxyAddress("10.0.0.1:5061"), { host: "10.0.0.1", port: 5061 });
  assert.deepEqual(parseProxyAddress("[2001:db8::1]:5060"), { host: "2001:db8::1", port: 5060 });
  assert.deepEqual(parseProxyAddress("2001:db8::1"), { host: "2001:db8::1", port: undefined });
});

test("other texts are rejected", () => {
  for (const text of [
    "",
    "sip:example.com",
    "a b",
    "10.0.0.999",
    "host:0",
    "host:70000",
    "-a.com",
    "[::1",
    "a..b",
    "1.2.3",
  ]) {
    assert.equal(parseProxyAddress(text), undefined, text);
  }
});

test("an allowed entry is an address or a block", () => {
  for (const text of ["10.0.0.1", "10.0.0.0/8", "2001:db8::/32", "::1"])
    assert.ok(isAddressOrBlock(text), text);
  for (const text of ["10.0.0.0/33", "10.0.0.0/", "example.com", "10.0.0.0/8/8", "::/129"]) {
    assert.ok(!isAddressOrBlock(text), text);
  }
});

test("an address is listed by itself or by its block", () => {
  assert.ok(!isAddressListed([], "192.0.2.1"));
  assert.ok(isAddressListed(["10.0.0.0/8", "192.0.2.1"], "192.0.2.1"));
  assert.ok(isAddressListed(["10.0.0.0/8"], "::ffff:10.1.2.3"));
  assert.ok(isAddressListed(["2001:db8::/32"], "2001:db8::5"));
  assert.ok(!isAddressListed(["10.0.0.0/8"], "192.0.2.1"));
  assert.ok(!isAddressListed(["10.0.0.0/8"], "2001:db8::5"));
});

const inbound = (fields: Partial<InboundTrunk>): InboundTrunk => ({
  id: "trunk",
  organizationId: "organization",
  allowedAddresses: [],
  proxyAddress: null,
  transport: null,
  isInboundAuthenticated: false,
  username: null,
  ...fields,
});

test("no address is accepted by both of two distinguishable trunks, in any notation", () => {
  const random = seededRandom(17);
  const below = (limit: number): number => Math.floor(random() * limit);
  const notations = [
    (host: number, prefix: number) => `10.0.0.${host}/${prefix}`,
    (host: number) => `10.0.0.${host}`,
    (host: number) => `::ffff:10.0.0.${host}`,
    (host: number, prefix: number) => `::ffff:a00:${host.toString(16)}/${prefix + 96}`,
    () => "::ffff:0:0/96",
  ];
  const entry = (): string => notations[below(notations.length)]?.(below(256), 24 + below(9)) ?? "";
  let distinguishable = 0;
  for (let round = 0; round < 2_000; round++) {
    const [one, other] = [[entry(), entry()], [entry()]];
    const [left, right] = [inbound({ allowedAddresses: one }), inbound({ allowedAddresses: other })];
    if (!areDistinguishable(left, right)) continue;
    assert.ok(areDistinguishable(right, left));
    distinguishable += 1;
    for (let host = 0; host < 256; host++) {
      const isShared = [one, other].every((list) => isAddressListed(list, `10.0.0.${host}`));
      assert.ok(!isShared, `10.0.0.${host}: ${JSON.stringify([one, other])}`);
    }
  }
  assert.ok(distinguishable > 100);
});
