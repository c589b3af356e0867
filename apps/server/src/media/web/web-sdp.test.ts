import assert from "node:assert/strict";
import { test } from "node:test";
import { completeAnswer, iceCredentialsOf, readOffer } from "./web-sdp.ts";
import { readFragment } from "./web-sdp-fragment.ts";

const sessionLines = ["v=0", "o=- 1 2 IN IP4 127.0.0.1", "s=-", "t=0 0", "a=group:BUNDLE 0 1"];
const transportLines = [
  "a=ice-ufrag:EsAw",
  "a=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1",
  "a=fingerprint:sha-256 19:7D",
  "a=setup:actpass",
];
const audioLines = [
  "m=audio 9 UDP/TLS/RTP/SAVPF 111 63 0 126",
  "c=IN IP4 0.0.0.0",
  ...transportLines,
  "a=candidate:1 1 udp 2122260223 192.0.2.7 54321 typ host",
  "a=candidate:2 1 udp 2122260222 7b2c.local 54322 typ host",
  "a=end-of-candidates",
  "a=mid:0",
  "a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level",
  "a=sendrecv",
  "a=msid:stream track",
  "a=rtcp-mux",
  "a=rtpmap:111 opus/48000/2",
  "a=rtcp-fb:111 transport-cc",
  "a=fmtp:111 minptime=10;useinbandfec=1;usedtx=1",
  "a=rtpmap:63 red/48000/2",
  "a=fmtp:63 111/111",
  "a=rtpmap:0 PCMU/8000",
  "a=rtpmap:126 telephone-event/8000",
  "a=ssrc:77 cname:them",
];
const dataLines = [
  "m=application 9 UDP/DTLS/SCTP webrtc-datachannel",
  "c=IN IP4 0.0.0.0",
  ...transportLines,
  "a=mid:1",
  "a=sctp-port:5000",
];

const toSdp = (...sections: (readonly string[])[]): string => sections.flat().join("\r\n") + "\r\n";

test("an offer is reduced to Opus and to reachable candidates", () => {
  const reading = readOffer(toSdp(sessionLines, audioLines, dataLines));
  assert.ok(reading.ok);
  const { sdp, opusPayloadType, audioMid } = reading.offer;
  assert.deepEqual([opusPayloadType, audioMid], [111, "0"]);
  assert.match(sdp, /^m=audio 9 UDP\/TLS\/RTP\/SAVPF 111\r$/m);
  assert.match(sdp, /^a=fmtp:111 minptime=10;useinbandfec=1;maxplaybackrate=16000/m);
  assert.match(sdp, /192\.0\.2\.7/);
  assert.match(sdp, /^a=ssrc:77 /m);
  assert.match(sdp, /^a=sctp-port:5000\r$/m);
  assert.doesNotMatch(sdp, /red|PCMU|telephone-event|transport-cc|extmap|\.local|usedtx|end-of-candidates/);
});

test("an offer without a data channel is accepted", () => {
  assert.equal(readOffer(toSdp(sessionLines, audioLines)).ok, true);
});

test("a text that is not SDP is reported as malformed", () => {
  for (const text of [
    "",
    "{}",
    "v=0",
    "hello\r\nv=0",
    `v=0\r\n${"a".repeat(50)}\r\n`,
    "v=0\r\n".repeat(2000),
  ]) {
    const reading = readOffer(text);
    assert.ok(!reading.ok, text.slice(0, 20));
  }
  const reading = readOffer('{"sdp":"v=0"}');
  assert.ok(!reading.ok);
  assert.equal(reading.refusal, "malformed");
});

test("other offers are rejected with a message that names what is required", () => {
  const videoLines = audioLines.map((line) => line.replace("m=audio", "m=video"));
  const offers: [RegExp, string][] = [
    [/one audio section/, toSdp(sessionLines, dataLines)],
    [/one audio section/, toSdp(sessionLines, audioLines, videoLines)],
    [/one audio section/, toSdp(sessionLines, audioLines, audioLines)],
    [
      /Opus/,
      toSdp(
        sessionLines,
        audioLines.filter((line) => !line.includes("opus")),
      ),
    ],
    [
      /sendrecv/,
      toSdp(
        sessionLines,
        audioLines.map((line) => line.replace("a=sendrecv", "a=recvonly")),
      ),
    ],
    [
      /fingerprint/,
      toSdp(
        sessionLines,
        audioLines.filter((line) => !line.startsWith("a=fingerprint")),
      ),
    ],
    [/bundled/, toSdp(sessionLines.slice(0, 4), audioLines, dataLines)],
  ];
  for (const [reason, offer] of offers) {
    const reading = readOffer(offer);
    assert.ok(!reading.ok);
    assert.equal(reading.refusal, "unacceptable");
    assert.match(reading.reason, reason);
  }
});

test("any text is parsed without an exception", () => {
  const offer = toSdp(sessionLines, audioLines, dataLines);
  for (let at = 0; at < offer.length; at += 7) {
    readOffer(offer.slice(0, at));
    readOffer(offer.slice(0, at) + String.fromCodePoint(at) + offer.slice(at + 1));
    readFragment(offer.slice(at));
    iceCredentialsOf(offer.slice(at));
  }
});

test("an answer contains the agent's stream, not the browser's, and the public address besides the local one", () => {
  const answer = completeAnswer(toSdp(sessionLines, audioLines, dataLines), {
    ssrc: 4711,
    cname: "agent",
    publicAddress: "203.0.113.9",
  });
  assert.match(answer, /^a=ssrc:4711 cname:agent\r$/m);
  assert.doesNotMatch(answer, /stream track|ssrc:77/);
  assert.match(answer, /^a=candidate:public 1 udp 2122260222 203\.0\.113\.9 54321 typ host\r$/m);
  assert.match(answer, /192\.0\.2\.7 54321/);
});

test("a public address that is also a local one appears once", () => {
  const answer = completeAnswer(toSdp(sessionLines, audioLines), {
    ssrc: 1,
    cname: "agent",
    publicAddress: "192.0.2.7",
  });
  assert.equal(answer.match(/192\.0\.2\.7/g)?.length, 1);
});

test("the ICE credentials of a description are found", () => {
  assert.deepEqual(iceCredentialsOf(toSdp(sessionLines, audioLines)), {
    ufrag: "EsAw",
    pwd: "P2uYro0UCOQ4zxjKXaWCBui1",
  });
  assert.equal(iceCredentialsOf(toSdp(sessionLines)), undefined);
});
