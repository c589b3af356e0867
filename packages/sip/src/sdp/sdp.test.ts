import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "sdp-transform";
import { seededRandom } from "@parley/testing";
import { realMessages } from "../testing/messages.ts";
import { acceptAnswer, answerOffer, type AudioSettings, buildOffer } from "./negotiate.ts";

const settings: AudioSettings = {
  address: "198.51.100.7",
  port: 41_000,
  codecs: [
    { name: "PCMU", clockRateHz: 8000, payloadType: 0 },
    { name: "PCMA", clockRateHz: 8000, payloadType: 8 },
  ],
};

function offer(...lines: string[]): string {
  return ["v=0", "o=- 1 1 IN IP4 192.0.2.1", "s=-", "c=IN IP4 192.0.2.1", "t=0 0", ...lines, ""].join("\r\n");
}

function answer(...lines: string[]) {
  const result = answerOffer(offer(...lines), settings);
  assert.ok(result.ok, result.ok ? "" : result.reason);
  return result;
}

test("static payload types need no rtpmap", () => {
  const { audio, sdp } = answer("m=audio 5004 RTP/AVP 18 8 0");
  assert.equal(audio.codec.name, "PCMU");
  assert.deepEqual(audio.remote, { address: "192.0.2.1", port: 5004 });
  assert.match(sdp, /m=audio 41000 RTP\/AVP 0\r\n/);
  assert.match(sdp, /a=rtpmap:0 PCMU\/8000\r\n/);
});

test("of a range of ports the first is used", () => {
  const { audio, sdp } = answer("m=audio 40000/2 RTP/AVP 0", "m=video 6000/3 RTP/AVP 96");
  assert.deepEqual(audio.remote, { address: "192.0.2.1", port: 40_000 });
  assert.deepEqual(
    parse(sdp).media.map(({ type, port }) => [type, port]),
    [
      ["audio", 41_000],
      ["video", 0],
    ],
  );
});

test("the offerer's own payload numbers are used, also for events at 8 kHz", () => {
  const { audio, sdp } = answer(
    "m=audio 5004 RTP/AVP 100 101 102",
    "a=rtpmap:100 pcma/8000",
    "a=rtpmap:101 telephone-event/48000",
    "a=rtpmap:102 telephone-event/8000",
    "a=ptime:30",
  );
  assert.deepEqual(
    [audio.codec.name, audio.codec.payloadType, audio.telephoneEventPayloadType],
    ["PCMA", 100, 102],
  );
  assert.equal(audio.ptimeMs, 30);
  assert.match(sdp, /a=fmtp:102 0-16\r\n/);
  assert.match(sdp, /a=ptime:20\r\n/);
});

test("further streams are rejected in their places", () => {
  const { sdp } = answer(
    "m=video 6000 RTP/AVP 96",
    "a=rtpmap:96 VP8/90000",
    "m=audio 5004 RTP/AVP 0",
    "m=audio 5006 RTP/AVP 0",
  );
  const media = parse(sdp).media.map(({ type, port }) => [type, port]);
  assert.deepEqual(media, [
    ["video", 0],
    ["audio", 41_000],
    ["audio", 0],
  ]);
});

test("fax and unknown streams are rejected in their places and keep their form", () => {
  const { sdp } = answer(
    "m=image 6000 udptl t38",
    "a=T38FaxVersion:0",
    "m=audio 5004 RTP/AVP 0",
    "m=application 6002 UDP/DTLS/SCTP webrtc-datachannel",
  );
  const lines = sdp.split("\r\n").filter((line) => line.startsWith("m="));
  assert.deepEqual(lines, [
    "m=image 0 udptl t38",
    "m=audio 41000 RTP/AVP 0",
    "m=application 0 UDP/DTLS/SCTP webrtc-datachannel",
  ]);
});

test("the packet length is the one the peer requests, between 10 and 60 ms and at most its maximum", () => {
  const ptimeOf = (...lines: string[]) => answer("m=audio 5004 RTP/AVP 0", ...lines).audio.ptimeMs;
  assert.equal(ptimeOf("a=ptime:30"), 30);
  assert.equal(ptimeOf("a=ptime:5"), 10);
  assert.equal(ptimeOf("a=ptime:200"), 60);
  assert.equal(ptimeOf("a=ptime:60", "a=maxptime:40"), 40);
  assert.equal(ptimeOf("a=maxptime:10"), 10);
});

test("RTCP goes to the next port, the named port, or RTP's port if the peer requests it", () => {
  const rtcpOf = (...lines: string[]) => {
    const { audio, sdp } = answer("m=audio 5004 RTP/AVP 0", ...lines);
    return [audio.remoteRtcp.address, audio.remoteRtcp.port, sdp.includes("a=rtcp-mux")];
  };
  assert.deepEqual(rtcpOf(), ["192.0.2.1", 5005, false]);
  assert.deepEqual(rtcpOf("a=rtcp:53020"), ["192.0.2.1", 53_020, false]);
  assert.deepEqual(rtcpOf("a=rtcp:53020 IN IP4 192.0.2.9"), ["192.0.2.9", 53_020, false]);
  assert.deepEqual(rtcpOf("a=rtcp:53020", "a=rtcp-mux"), ["192.0.2.1", 5004, true]);
});

function directionFor(...lines: string[]): string {
  return answer("m=audio 5004 RTP/AVP 0", ...lines).audio.direction;
}

test("a direction is answered by its counterpart, and a zero address means hold", () => {
  assert.equal(directionFor(), "sendrecv");
  assert.equal(directionFor("a=sendonly"), "recvonly");
  assert.equal(directionFor("a=recvonly"), "sendonly");
  assert.equal(directionFor("a=inactive"), "inactive");
  assert.equal(directionFor("c=IN IP4 0.0.0.0"), "recvonly");
  const session = answerOffer(offer("a=sendonly", "m=audio 5004 RTP/AVP 0"), settings);
  assert.ok(session.ok && session.audio.direction === "recvonly");
  assert.match(session.sdp, /a=recvonly/);
});

test("an unusable offer is rejected with a status and never throws", () => {
  const cases: [string, number][] = [
    ["", 400],
    ["hello", 400],
    ["v=0\r\ns=-\r\n", 400],
    [offer("m=audio x RTP/AVP 0"), 400],
    [offer("m=audio 99999 RTP/AVP 0"), 400],
    [offer(), 488],
    [offer("m=audio 0 RTP/AVP 0"), 488],
    [offer("m=video 6000 RTP/AVP 96"), 488],
    [offer("m=audio 5004 RTP/SAVP 0"), 488],
    [offer("m=audio 5004 RTP/AVP 96", "a=rtpmap:96 opus/48000/2"), 488],
    [offer("m=audio 5004 RTP/AVP 96", "a=rtpmap:96 PCMU/8000/2"), 488],
    [offer("m=audio 5004 RTP/AVP 0").replace("c=IN IP4 192.0.2.1\r\n", ""), 488],
  ];
  for (const [text, status] of cases) {
    const result = answerOffer(text, settings);
    assert.ok(!result.ok, text);
    assert.equal(result.status, status, text);
  }
});

test("descriptions of real peers are answered", () => {
  for (const name of [
    "INVITE of an Asterisk trunk",
    "INVITE of a softphone in compact form with credentials",
  ]) {
    const body = realMessages[name]?.split("\r\n\r\n")[1] ?? "";
    const result = answerOffer(body, settings);
    assert.ok(result.ok);
    assert.equal(result.audio.telephoneEventPayloadType, name.includes("Asterisk") ? 101 : 100);
  }
});

test("both sides of an exchange agree", () => {
  const origin = { sessionId: "42", version: 7 };
  const ours = buildOffer({ ...settings, origin });
  assert.match(ours, /o=- 42 7 IN IP4 198\.51\.100\.7/);
  const theirs = answerOffer(ours, {
    ...settings,
    address: "198.51.100.8",
    port: 5,
    codecs: settings.codecs.slice(1),
  });
  assert.ok(theirs.ok);
  assert.match(theirs.sdp, /c=IN IP4 198\.51\.100\.8/);
  const agreed = acceptAnswer(theirs.sdp, settings);
  assert.ok(agreed.ok);
  assert.deepEqual(agreed.audio, {
    codec: { name: "PCMA", clockRateHz: 8000, payloadType: 8 },
    remote: { address: "198.51.100.8", port: 5 },
    telephoneEventPayloadType: 101,
    direction: "sendrecv",
    ptimeMs: 20,
    remoteRtcp: { address: "198.51.100.8", port: 6 },
    isRtcpMultiplexed: false,
    srtp: undefined,
  });
  assert.equal(acceptAnswer(offer("m=audio 5004 RTP/AVP 18"), settings).ok, false);
});

test("an offer during a call keeps places and payload types, but neither direction nor choice of codec", () => {
  const held = answer(
    "m=video 6000 RTP/AVP 96",
    "m=audio 5004 RTP/AVP 100 96",
    "a=rtpmap:100 PCMA/8000",
    "a=rtpmap:96 telephone-event/8000",
    "a=rtcp-mux",
    "a=sendonly",
  );
  assert.match(held.sdp, /a=recvonly/);
  const again = buildOffer(settings, held.sdp);
  const [video, audio] = parse(again).media;
  assert.deepEqual([video?.type, video?.port, audio?.port], ["video", 0, 41_000]);
  assert.deepEqual([audio?.payloads, audio?.direction, audio?.rtcpMux], ["0 100 96", "sendrecv", "rtcp-mux"]);
  const theirs = offer(
    "m=video 0 RTP/AVP 96",
    "m=audio 5008 RTP/AVP 0 96",
    "a=rtpmap:96 telephone-event/8000",
  );
  const agreed = acceptAnswer(theirs, settings, { offer: again });
  assert.ok(agreed.ok);
  assert.deepEqual([agreed.audio.codec.name, agreed.audio.remote.port], ["PCMU", 5008]);
  // The audio stream is the second one.
  assert.equal(acceptAnswer(offer("m=audio 5008 RTP/AVP 0"), settings, { offer: again }).ok, false);
});

test("audio over the other IP version is rejected, and over ours accepted, also on hold", () => {
  const ours = { ...settings, address: "2001:db8::1" };
  const rejected = answerOffer(buildOffer(settings), ours);
  assert.ok(!rejected.ok);
  assert.deepEqual([rejected.status, rejected.reason], [488, "Incompatible Network Protocol"]);
  const answer = answerOffer(buildOffer({ ...settings, address: "2001:db8::7" }), ours);
  assert.ok(answer.ok);
  assert.match(answer.sdp, /c=IN IP6 2001:db8::1/);
  assert.equal(answerOffer(buildOffer({ ...settings, address: "0.0.0.0" }), ours).ok, true);
});

test("no mutation of a description throws", () => {
  const random = seededRandom(4566);
  const whole = offer(
    "m=audio 5004 RTP/AVP 0 8 101",
    "a=rtpmap:101 telephone-event/8000",
    "a=fmtp:101 0-16",
    "a=ptime:20",
  );
  for (let count = 0; count < 5000; count++) {
    const bytes = Buffer.from(whole);
    for (let change = 0; change < 4; change++)
      bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
    answerOffer(bytes.toString("utf8").slice(Math.floor(random() * 3)), settings);
  }
});
