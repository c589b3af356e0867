import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "sdp-transform";
import { type CryptoAttribute, LocalSrtpKeys, readCrypto } from "./crypto.ts";
import { acceptAnswer, answerOffer, type AudioSettings, buildOffer, findOfferedCodec } from "./negotiate.ts";

/** The key in the example of RFC 4568 §9.2. */
const KEY = "PS1uQCVeeCFCanVmcjkpPywjNWhcYD0mXXtxaVBR";
const CM_80 = `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${KEY}`;

function settings(isRequired = false): AudioSettings & { srtp: { keys: LocalSrtpKeys } } {
  return {
    address: "198.51.100.7",
    port: 41_000,
    codecs: [{ name: "PCMU", clockRateHz: 8000, payloadType: 0 }],
    srtp: { keys: new LocalSrtpKeys(), isRequired },
  };
}

function offer(...lines: string[]): string {
  return ["v=0", "o=- 1 1 IN IP4 192.0.2.1", "s=-", "c=IN IP4 192.0.2.1", "t=0 0", ...lines, ""].join("\r\n");
}

function cryptoIn(sdp: string): CryptoAttribute[] {
  return sdp.includes("m=audio")
    ? readCrypto(parse(sdp).media[0] ?? { type: "", port: 0, protocol: "", rtp: [], fmtp: [] })
    : [];
}

test("an SRTP offer is answered with the first usable line, its tag and our own key", () => {
  const ours = settings();
  const result = answerOffer(
    offer(
      "m=audio 5004 RTP/SAVP 0",
      `a=crypto:3 F8_128_HMAC_SHA1_80 inline:${KEY}`,
      `a=crypto:7 AES_CM_128_HMAC_SHA1_32 inline:${KEY}|2^48`,
      CM_80,
    ),
    ours,
  );
  assert.ok(result.ok);
  assert.match(result.sdp, /m=audio 41000 RTP\/SAVP 0\r\n/);
  const [line, ...more] = cryptoIn(result.sdp);
  assert.deepEqual([line?.tag, line?.suite, more], [7, "AES_CM_128_HMAC_SHA1_32", []]);
  const { srtp } = result.audio;
  assert.deepEqual(srtp?.remoteMasterKey, Buffer.from(KEY, "base64"));
  assert.deepEqual(line?.masterKey, srtp?.localMasterKey);
  assert.notDeepEqual(srtp?.localMasterKey, srtp?.remoteMasterKey);
});

test("lines with unsupported parameters are ignored, and an offer with no other line is answered with 488", () => {
  for (const line of [
    undefined,
    `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${KEY.slice(4)}`,
    `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${KEY}|2^19`,
    `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${KEY}|2^48|256:1`,
    `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${KEY}|2^48|1:0`,
    `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${KEY}|2^48|1:129`,
    `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${KEY}|2^48|1`,
    `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${KEY}|${"9".repeat(5000)}:128`,
    `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${KEY}|1000`,
    `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${KEY};inline:${KEY}`,
    `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${KEY} UNENCRYPTED_SRTP`,
    `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${KEY} KDR=1`,
    `a=crypto:x AES_CM_128_HMAC_SHA1_80 inline:${KEY}`,
    `a=crypto:1 toString inline:${KEY}`,
  ]) {
    const lines = ["m=audio 5004 RTP/SAVP 0", ...(line === undefined ? [] : [line])];
    const result = answerOffer(offer(...lines), settings());
    assert.ok(!result.ok, line);
    assert.deepEqual([result.status, result.reason], [488, "No Usable SRTP Key"], line);
  }
  for (const line of [`${CM_80} WSH=64`, `${CM_80} -UNKNOWN`, `${CM_80}|2^31`]) {
    assert.ok(answerOffer(offer("m=audio 5004 RTP/SAVP 0", line), settings()).ok, line);
  }
});

test("the master key identifier of an offer is read, and our answer has none", () => {
  for (const [written, mki] of [
    ["|2^48|1:4", "00000001"],
    ["|1066:4", "0000042a"],
    ["|255:1", "ff"],
  ] as const) {
    const result = answerOffer(offer("m=audio 5004 RTP/SAVP 0", `${CM_80}${written}`), settings());
    assert.ok(result.ok, written);
    assert.equal(Buffer.from(result.audio.srtp?.remoteMki ?? []).toString("hex"), mki);
    assert.match(result.sdp, /a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:[^|\r]+\r\n/);
  }
});

test("the first usable stream is chosen from a secure and a plain one", () => {
  const both = offer("m=audio 5004 RTP/SAVP 0", CM_80, "m=audio 5006 RTP/AVP 0");
  const secure = answerOffer(both, settings());
  assert.ok(secure.ok && secure.audio.srtp !== undefined);
  const { srtp: _srtp, ...withoutSrtp } = settings();
  const plain = answerOffer(both, withoutSrtp);
  assert.ok(plain.ok && plain.audio.srtp === undefined && plain.audio.remote.port === 5006);
});

test("if SRTP is required, plain RTP is rejected in offers and in answers", () => {
  const plain = offer("m=audio 5004 RTP/AVP 0");
  const rejected = answerOffer(plain, settings(true));
  assert.deepEqual(rejected, { ok: false, status: 488, reason: "No Common Encryption" });
  assert.equal(findOfferedCodec(plain, settings(true)), undefined);
  assert.equal(findOfferedCodec(plain, settings())?.name, "PCMU");
  assert.equal(acceptAnswer(plain, settings(true)).ok, false);
});

test("both sides of an SRTP exchange get the same two keys", () => {
  const [alice, bob] = [settings(true), settings()];
  const offered = buildOffer(alice);
  assert.deepEqual(
    cryptoIn(offered).map(({ tag, suite }) => [tag, suite]),
    [
      [1, "AES_CM_128_HMAC_SHA1_80"],
      [2, "AES_CM_128_HMAC_SHA1_32"],
      [3, "AEAD_AES_128_GCM"],
      [4, "AEAD_AES_256_GCM"],
    ],
  );
  const answered = answerOffer(offered, bob);
  assert.ok(answered.ok);
  const agreed = acceptAnswer(answered.sdp, alice);
  assert.ok(agreed.ok);
  assert.equal(agreed.audio.srtp?.suite, "AES_CM_128_HMAC_SHA1_80");
  assert.deepEqual(agreed.audio.srtp?.localMasterKey, answered.audio.srtp?.remoteMasterKey);
  assert.deepEqual(agreed.audio.srtp?.remoteMasterKey, answered.audio.srtp?.localMasterKey);
});

test("an offer during an encrypted call is encrypted, and its answer may use the same key or another suite", () => {
  const ours = settings();
  const answered = answerOffer(offer("m=audio 5004 RTP/SAVP 0", CM_80.replace(":1 ", ":7 ")), ours);
  assert.ok(answered.ok);
  const again = buildOffer(ours, answered.sdp);
  const [first] = cryptoIn(again);
  assert.deepEqual(first?.masterKey, answered.audio.srtp?.localMasterKey);
  const other = `a=crypto:3 AEAD_AES_128_GCM inline:${Buffer.alloc(28, 1).toString("base64")}`;
  for (const line of [CM_80, other]) {
    assert.ok(acceptAnswer(offer("m=audio 5004 RTP/SAVP 0", line), ours, { offer: again }).ok);
  }
  assert.equal(acceptAnswer(offer("m=audio 5004 RTP/AVP 0"), ours, { offer: again }).ok, false);
  // A refresh repeats our answer, with the tag that the peer chose.
  const refreshed = offer("m=audio 5004 RTP/SAVP 0", CM_80.replace(":1 ", ":7 "));
  assert.ok(acceptAnswer(refreshed, ours, { offer: answered.sdp }).ok);
});

test("an answer with a line that was not offered, or with SRTP for plain RTP, is rejected", () => {
  const wrongTag = offer("m=audio 5004 RTP/SAVP 0", CM_80.replace(":1 ", ":4 "));
  assert.equal(acceptAnswer(wrongTag, settings(true)).ok, false);
  assert.equal(acceptAnswer(offer("m=audio 5004 RTP/SAVP 0", CM_80), settings()).ok, false);
});

test("our key survives refreshes and is replaced when its suite returns", () => {
  const ours = settings();
  const keyFor = (line: string): string => {
    const result = answerOffer(offer("m=audio 5004 RTP/SAVP 0", line), ours);
    assert.ok(result.ok && result.audio.srtp !== undefined);
    return Buffer.from(result.audio.srtp.localMasterKey).toString("hex");
  };
  const first = keyFor(CM_80);
  assert.equal(keyFor(CM_80), first);
  keyFor(CM_80.replace("_80", "_32"));
  assert.notEqual(keyFor(CM_80), first);
});
