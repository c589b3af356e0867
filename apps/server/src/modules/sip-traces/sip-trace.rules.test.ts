import assert from "node:assert/strict";
import { test } from "node:test";
import { assertLinear } from "@parley/testing";
import { maskSecrets, sipCallIdOf } from "./sip-trace.rules.ts";

const register = [
  "REGISTER sip:trunk.example.com SIP/2.0",
  "i: abc@192.0.2.1",
  'AUTHORIZATION : Digest username="alice", realm="trunk", nonce="n1",',
  '  uri="sip:trunk.example.com", response="6629fae49393a05397450978507c4ef1", cnonce=0a4f113b, qop=auth, nc=00000001',
  "Contact: <sip:alice:s3cret@192.0.2.1:5060>",
  "Content-Length: 0",
  "",
  "",
].join("\r\n");

test("proofs of a password are masked, but user and method are not", () => {
  const masked = maskSecrets(register);
  assert.match(masked, /username="alice", realm="trunk", nonce="n1"/);
  assert.match(masked, /uri="sip:trunk.example.com", response="\*{32}", cnonce=\*{8}, qop=auth, nc=00000001/);
  assert.match(masked, /<sip:alice:\*{6}@192\.0\.2\.1:5060>/);
  assert.equal(masked.length, register.length);
});

test("credentials of other schemes than Digest are masked entirely", () => {
  assert.equal(
    maskSecrets("Proxy-Authorization: Basic YWxpY2U6cGFzcw==\r\nTo: x"),
    "Proxy-Authorization: Basic ****************\r\nTo: x",
  );
  assert.equal(
    maskSecrets('Authentication-Info: nextnonce="a", rspauth="bc", qop=auth\r\n'),
    'Authentication-Info: nextnonce="*", rspauth="**", qop=auth\r\n',
  );
});

test("every SRTP key of a line is masked", () => {
  const key = "WVNfX19zZW1jdGwgKCkgewkyMjA7fQp9CnVubGVz";
  const line = `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${key}|2^20|1:4;inline:${key}|2^20|2:4`;
  const masked = maskSecrets(`v=0\r\n${line}\r\nk=base64:c2VjcmV0\r\n`);
  assert.ok(!masked.includes(key));
  assert.ok(!masked.includes("c2VjcmV0"));
  assert.match(masked, /AES_CM_128_HMAC_SHA1_80 inline:\*{40}\|2\^20\|1:4;inline:\*{40}\|2\^20\|2:4/);
});

test("a message without secrets stays unchanged", () => {
  const text =
    'INVITE sip:b@h:5060 SIP/2.0\r\nFrom: "A: b" <sip:a@h>;tag=1\r\nWWW-Authenticate: Digest nonce="x"\r\n\r\n';
  assert.equal(maskSecrets(text), text);
});

test("a Call-ID is found in long and compact form, in header fields only", () => {
  assert.equal(sipCallIdOf(register), "abc@192.0.2.1");
  assert.equal(sipCallIdOf("X\r\ncall-id  :  q \r\n\r\n"), "q");
  assert.equal(sipCallIdOf("X\r\nTo: y\r\n\r\nCall-ID: body\r\n"), undefined);
});

test("malformed parts of credentials are masked as well", () => {
  assert.equal(
    maskSecrets('Authorization: Digest opensesame username="a\\"b" = secret, nonce=n x\r\n'),
    'Authorization: Digest ********** username="a\\"b" = ******, nonce=n *\r\n',
  );
});

test("masking takes linear time for any repeated input", () => {
  const beginnings = [
    "Authorization: ",
    "Authorization: Digest ",
    'Authorization: Digest response="',
    "Authorization: Digest a ",
    "a=crypto:1 a inline:",
    "k=",
    "k=clear:",
    "Contact: <sip:a:",
    "From: ",
    "i:",
    "Call-ID",
    "",
  ];
  const atoms = [
    ...Array.from('a \t"\\,=:;<@|/-1'),
    "\r",
    "\n",
    "\r\n",
    "\r\n ",
    "sip:a:",
    "sips:",
    "a=",
    "a =",
    "a,",
    '"a',
    '\\"',
    "inline:",
    "i:\r\n",
    "a b ",
  ];
  for (const beginning of beginnings) {
    for (const atom of atoms) {
      for (const end of ["", "x", "@", "=", '"']) {
        const what = `${JSON.stringify(atom)} after ${JSON.stringify(beginning)} before ${end}`;
        const message = (length: number): string =>
          `REGISTER sip:h SIP/2.0\r\n${beginning}${atom.repeat(length / atom.length)}${end}\r\n\r\n`;
        assertLinear(what, message, maskSecrets);
        assertLinear(`${what}, Call-ID`, message, sipCallIdOf);
      }
    }
  }
});
