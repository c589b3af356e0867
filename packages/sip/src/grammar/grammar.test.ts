import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAuthentication } from "./authentication.ts";
import { parseCSeq } from "./cseq.ts";
import { parseNameAddress, parseNameAddressList, type NameAddress } from "./name-address.ts";
import { splitList, unquote, quote } from "./scanner.ts";
import { parseUri, uriScheme } from "./uri.ts";
import { formatVia, parseViaList, type Via } from "./via.ts";

test("a SIP URI is split into its parts and its escapes are decoded", () => {
  const uri = parseUri(
    "sips:alice%20b;day=tuesday:se%3Acret@Example.com:5061;transport=tcp;lr?subject=x&priority=urgent",
  );
  assert.ok(uri !== undefined && uri.scheme !== "tel");
  assert.equal(uri.scheme, "sips");
  assert.equal(uri.user, "alice b;day=tuesday");
  assert.equal(uri.password, "se%3Acret");
  assert.equal(uri.host, "Example.com");
  assert.equal(uri.port, 5061);
  assert.deepEqual(
    [...uri.parameters],
    [
      ["transport", "tcp"],
      ["lr", ""],
    ],
  );
  assert.equal(uri.headers, "subject=x&priority=urgent");
});

test("an IPv6 reference keeps its brackets", () => {
  const uri = parseUri("sip:bob@[2001:db8::10]:5070;transport=udp");
  assert.ok(uri !== undefined && uri.scheme !== "tel");
  assert.deepEqual([uri.user, uri.host, uri.port], ["bob", "[2001:db8::10]", 5070]);
});

test("a tel URI loses its visual separators", () => {
  const uri = parseUri("TEL:+1-555.(010)0;phone-context=example.com");
  assert.ok(uri?.scheme === "tel");
  assert.equal(uri.number, "+15550100");
  assert.equal(uri.parameters.get("phone-context"), "example.com");
});

test("text that is not a SIP or tel URI is rejected", () => {
  const bad = [
    "",
    "sip:",
    "sip:@host",
    "sip:a@",
    "sip:a@b:70000",
    "sip:a@b:x",
    "sip:a%zz@b",
    "sip:a@b c",
    "sip:[::1",
    "tel:",
    "tel:abc xyz",
    "http://x",
    "a",
  ];
  for (const text of bad) assert.equal(parseUri(text), undefined, text);
  assert.equal(uriScheme("HTTP://x"), "http");
  assert.equal(uriScheme("<sip:a@b>"), undefined);
});

test("quotes and escapes are removed from display names", () => {
  const quoted = parseNameAddress('"Room 12, \\"North\\" <x>" <sip:a@b;lr>;tag=1;q="a;b"');
  assert.deepEqual(quoted && [quoted.displayName, quoted.uri], ['Room 12, "North" <x>', "sip:a@b;lr"]);
  assert.deepEqual(
    [...(quoted?.parameters ?? [])],
    [
      ["tag", "1"],
      ["q", '"a;b"'],
    ],
  );
  assert.equal(parseNameAddress("Anna Müller <sip:a@b>")?.displayName, "Anna Müller");
  assert.equal(parseNameAddress("<sip:a@b> ; tag = x")?.parameters.get("tag"), "x");
});

test("without angle brackets the parameters belong to the header", () => {
  const address = parseNameAddress("sip:a@b:5060;tag=x");
  assert.deepEqual(address && [address.uri, address.parameters.get("tag")], ["sip:a@b:5060", "x"]);
  assert.equal(parseNameAddress("sip:a@b?x=y"), undefined);
});

test("malformed addresses are rejected", () => {
  for (const text of [
    "",
    "<>",
    "<sip:a@b",
    '"open <sip:a@b>',
    "no uri",
    '"name" sip:a@b',
    "<sip:a@b>;=x",
    "<sip:a@b> junk",
  ]) {
    assert.equal(parseNameAddress(text), undefined, text);
  }
});

test("a list of contacts is split only at the commas between its items", () => {
  const list: NameAddress[] = [];
  assert.ok(parseNameAddressList('"a, b" <sip:a@x?y=1,2>;q=1, <sip:b@y> ,sip:c@z;expires=3', list));
  assert.deepEqual(
    list.map(({ uri }) => uri),
    ["sip:a@x?y=1,2", "sip:b@y", "sip:c@z"],
  );
  assert.deepEqual(splitList('"a,b" <x,y>, c,, d'), ['"a,b" <x,y>', "c", "d"]);
  assert.deepEqual(splitList(""), []);
});

test("Via values are read with all white space that the grammar allows", () => {
  const vias: Via[] = [];
  assert.ok(
    parseViaList(
      "SIP / 2.0 / udp  [::1] : 5060 ;branch=z9hG4bKx;rport , SIP/2.0/TCP host;received=1.2.3.4",
      vias,
    ),
  );
  assert.equal(vias[0] && formatVia(vias[0]), "SIP/2.0/UDP [::1]:5060;branch=z9hG4bKx;rport");
  assert.equal(vias[1]?.parameters.get("received"), "1.2.3.4");
  for (const bad of [
    "",
    "SIP/2.0/UDP",
    "SIP/1.0/UDP a",
    "HTTP/2.0/UDP a",
    "SIP/2.0/UDP a:99999",
    "SIP/2.0/UDP a b",
  ]) {
    assert.equal(parseViaList(bad, []), false, bad);
  }
});

test("CSeq is a number below 2**31 and a method", () => {
  assert.deepEqual(parseCSeq("0009  INVITE"), { sequence: 9, method: "INVITE" });
  for (const bad of ["INVITE", "1", "1INVITE", "2147483648 INVITE", "-1 BYE", "1 IN VITE"]) {
    assert.equal(parseCSeq(bad), undefined, bad);
  }
});

test("challenges and credentials are read, and ambiguous ones are rejected", () => {
  const value = parseAuthentication(
    'Digest realm="a \\"b\\"" , nonce=abc==,qop="auth,auth-int", stale = TRUE',
  );
  assert.deepEqual(
    [...(value?.parameters ?? [])],
    [
      ["realm", 'a "b"'],
      ["nonce", "abc=="],
      ["qop", "auth,auth-int"],
      ["stale", "TRUE"],
    ],
  );
  for (const bad of ["", "Digest", "Digest realm", 'Digest realm="x', "Digest a=1 b=2", "Digest a=1, A=2"]) {
    assert.equal(parseAuthentication(bad), undefined, bad);
  }
});

test("quoting and unquoting are inverse", () => {
  for (const text of ["", "plain", 'a "b" \\ c']) assert.equal(unquote(quote(text)), text);
});
