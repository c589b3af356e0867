import assert from "node:assert/strict";
import test from "node:test";
import { isAddressAllowed, isAddressOrBlock, parseProxyAddress } from "./sip-trunks.rules.ts";

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

test("calls are accepted from allowed addresses, or from all if none is listed", () => {
  assert.ok(isAddressAllowed([], "192.0.2.1"));
  assert.ok(isAddressAllowed(["10.0.0.0/8", "192.0.2.1"], "192.0.2.1"));
  assert.ok(isAddressAllowed(["10.0.0.0/8"], "::ffff:10.1.2.3"));
  assert.ok(isAddressAllowed(["2001:db8::/32"], "2001:db8::5"));
  assert.ok(!isAddressAllowed(["10.0.0.0/8"], "192.0.2.1"));
  assert.ok(!isAddressAllowed(["10.0.0.0/8"], "2001:db8::5"));
});
