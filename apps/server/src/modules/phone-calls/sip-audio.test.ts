import assert from "node:assert/strict";
import { test } from "node:test";
import { answerOffer, buildOffer, LocalSrtpKeys } from "@parley/sip";
import { SrtpSession } from "../../../../../packages/rtp/src/srtp/srtp-session.ts";
import { writeRtp } from "../../../../../packages/rtp/src/packet.ts";
import type { MediaPath } from "../../media/media-protocol.ts";
import { answerCallOffer, connectAnswered, connectEarly, renegotiate, toAudioSettings } from "./sip-audio.ts";

type Suite = NonNullable<MediaPath["srtp"]>["suite"];

/** A called telephone that supports only this SRTP suite. */
class Fork {
  readonly answer: string;
  readonly #srtp: SrtpSession;
  #sequenceNumber = 0;

  constructor(offer: string, suite: Suite, port: number) {
    const only = offer
      .split("\r\n")
      .filter((line) => !line.startsWith("a=crypto:") || line.includes(` ${suite} `))
      .join("\r\n");
    const srtp = { keys: new LocalSrtpKeys(), isRequired: true };
    const answered = answerOffer(
      only,
      toAudioSettings({ address: "192.0.2.9", port, sampleRateHz: 8000, srtp, isLoopbackAllowed: false }),
    );
    assert.ok(answered.ok);
    assert.equal(answered.audio.srtp?.suite, suite);
    this.answer = answered.sdp;
    this.#srtp = new SrtpSession(answered.audio.srtp);
  }

  packet(): Uint8Array {
    return this.#srtp.protectRtp(packetOf(this.#sequenceNumber++));
  }

  hears(packet: Uint8Array): boolean {
    return this.#srtp.unprotectRtp(packet) !== undefined;
  }
}

function packetOf(sequenceNumber: number): Uint8Array {
  const payload = Buffer.alloc(160, 0x55);
  return writeRtp({ marker: false, payloadType: 0, sequenceNumber, timestamp: 0, ssrc: 7, payload });
}

function placeCall() {
  const srtp = { keys: new LocalSrtpKeys(), isRequired: true };
  const settings = toAudioSettings({
    address: "192.0.2.1",
    port: 4000,
    sampleRateHz: 8000,
    srtp,
    isLoopbackAllowed: false,
  });
  let session: SrtpSession | undefined;
  const ports: number[] = [];
  // In the format of the media process.
  const media = {
    connect: ({ srtp: keys, remote }: MediaPath): void => {
      assert.ok(keys !== undefined);
      ports.push(remote.port);
      session = session?.rekey(keys) ?? new SrtpSession(keys);
    },
  };
  const ours = (): SrtpSession => {
    assert.ok(session !== undefined);
    return session;
  };
  return { offer: buildOffer(settings), settings, media, ours, ports };
}

test("encrypted early media is received, and continues after the answer without a gap", () => {
  const { offer, settings, media, ours } = placeCall();
  const fork = new Fork(offer, "AES_CM_128_HMAC_SHA1_80", 5000);
  connectEarly(fork.answer, settings, media);
  const early = fork.packet();
  assert.ok(ours().unprotectRtp(Uint8Array.from(early)) !== undefined);
  assert.equal(connectAnswered(fork.answer, settings, media), undefined);
  assert.ok(ours().unprotectRtp(fork.packet()) !== undefined);
  // The packet counts as received, so a replay is rejected.
  assert.equal(ours().unprotectRtp(early), undefined);
  assert.ok(fork.hears(ours().protectRtp(packetOf(0))));
});

for (const suite of ["AES_CM_128_HMAC_SHA1_80", "AEAD_AES_256_GCM"] as const) {
  test(`a fork that answers after another's early media uses its own keys (${suite})`, () => {
    const { offer, settings, media, ours, ports } = placeCall();
    const early = new Fork(offer, "AES_CM_128_HMAC_SHA1_80", 5000);
    const answering = new Fork(offer, suite, 6000);
    connectEarly(early.answer, settings, media);
    assert.ok(ours().unprotectRtp(early.packet()) !== undefined);
    assert.equal(connectAnswered(answering.answer, settings, media), undefined);
    assert.deepEqual(ports, [5000, 6000]);
    assert.ok(ours().unprotectRtp(answering.packet()) !== undefined);
    assert.equal(ours().unprotectRtp(early.packet()), undefined);
    assert.ok(answering.hears(ours().protectRtp(packetOf(0))));
  });
}

test("an answer without keys to an SRTP-only offer connects nothing", () => {
  const { offer, settings, media, ports } = placeCall();
  const plain = new Fork(offer, "AES_CM_128_HMAC_SHA1_80", 5000).answer
    .replace("RTP/SAVP", "RTP/AVP")
    .replace(/a=crypto:.*\r\n/, "");
  connectEarly(plain, settings, media);
  assert.equal(connectAnswered(plain, settings, media), "No Common Encryption");
  assert.deepEqual(ports, []);
});

test("an offer or answer with an unusable audio or RTCP address is refused", () => {
  const settingsFor = (peer: string, isLoopbackAllowed: boolean) =>
    toAudioSettings({
      address: peer.includes(":") ? "2001:db8::9" : "192.0.2.1",
      port: 4000,
      sampleRateHz: 8000,
      srtp: { keys: new LocalSrtpKeys(), isRequired: false },
      isLoopbackAllowed,
    });
  const media = { connect: (): void => assert.fail("audio would be sent") };
  const describe = (address: string, rtcp = "9"): string => {
    const version = address.includes(":") ? "IP6" : "IP4";
    const head = `v=0\r\no=- 1 1 IN ${version} ${address}\r\ns=-\r\nc=IN ${version} ${address}\r\nt=0 0\r\n`;
    return `${head}m=audio 4000 RTP/AVP 0\r\na=rtcp:${rtcp}\r\n`;
  };
  const never = [
    "224.0.0.1",
    "255.255.255.255",
    "169.254.1.1",
    "0.1.2.3",
    "ff02::1",
    "fe80::1",
    "::ffff:224.0.0.1",
  ];
  const onlyHere = ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"];
  for (const address of [...never, ...onlyHere]) {
    const isHere = onlyHere.includes(address);
    for (const isLoopbackAllowed of [true, false]) {
      const answer = answerCallOffer(describe(address), settingsFor(address, isLoopbackAllowed));
      assert.equal(answer.ok, isHere && isLoopbackAllowed, address);
      if (!answer.ok)
        assert.deepEqual([answer.status, answer.reason], [488, "Media Address Not Allowed"], address);
    }
    const refusal = { status: 488, reason: "Media Address Not Allowed" };
    assert.deepEqual(renegotiate(describe(address), settingsFor(address, false), media), refusal, address);
    assert.equal(
      connectAnswered(describe(address), settingsFor(address, false), media),
      refusal.reason,
      address,
    );
    connectEarly(describe(address), settingsFor(address, false), media);
  }
  const toMulticast = describe("192.0.2.7", "4001 IN IP4 224.0.0.1");
  assert.equal(answerCallOffer(toMulticast, settingsFor("192.0.2.7", true)).ok, false);
  for (const usual of ["192.0.2.7", "10.0.0.1", "0.0.0.0", "2001:db8::1"])
    assert.equal(answerCallOffer(describe(usual), settingsFor(usual, false)).ok, true, usual);
});
