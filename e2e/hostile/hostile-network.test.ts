import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { encodePcmu } from "@parley/audio";
import { writeRtp } from "@parley/rtp";
import { createAgent, endedCall, textOf } from "../support/platform/agents.ts";
import { Platform } from "../support/platform/platform.ts";
import { RawSip, sdp } from "../support/phone/raw-sip.ts";
import { GO_FORWARD, plainWords, readRecording } from "../support/audio/recordings.ts";
import { ask, greeted } from "../support/audio/talk.ts";
import { TestCaller } from "../support/phone/test-caller.ts";
import { seededRandom, waitFor } from "@parley/testing";

const DATAGRAMS = 20_000;
/** Datagrams sent at once; more would only fill the socket's buffer. */
const BURST = 50;
const BURST_INTERVAL_MS = 5;
/** Maximum payload of UDP over IPv4. */
const MAX_DATAGRAM_BYTES = 65_507;
/** An unacknowledged INVITE has timed out by then (RFC 3261 §17.2.1, 64*T1 and a margin). */
const SIP_TIMEOUT_MS = 45_000;

type Random = () => number;

describe("a started platform on a hostile network", () => {
  let platform: Platform;
  let number: string;
  before(async () => {
    platform = await Platform.start();
    ({ number } = await createAgent(platform, { silenceEndCallTimeoutSeconds: 60 }));
  });
  after(async () => await platform.stop());

  test("garbage on the SIP and RTP ports affects neither the call in progress nor the platform", async () => {
    const from = "+15550600001";
    const random = seededRandom(3550);
    await using caller = await TestCaller.call({ sipPort: platform.sipPort, number, from });
    try {
      await greeted(platform, caller);
      const template = await inviteText(platform.sipPort, number);
      await Promise.all([
        flood(platform.sipPort, () => hostileSip(random, template)),
        flood(caller.remotePort, () => hostileRtp(random)),
      ]);
      await ask(platform, caller);
    } finally {
      await caller.hangUp();
    }
    const call = await endedCall(platform, from);
    assert.deepEqual([call.status, call.endReason], ["completed", "user_hangup"]);
    assert.equal(plainWords(textOf(call, "user")).trim(), GO_FORWARD);
    await waitFor(
      "every call to be over",
      async () => (await platform.metric("parley_active_calls")) === 0,
      SIP_TIMEOUT_MS,
    );
    assert.equal((await fetch(`${platform.url}/readyz`)).status, 200);
  });

  test("another source can neither receive a call's audio nor be heard in it", async () => {
    const from = "+15550600002";
    await using caller = await TestCaller.call({ sipPort: platform.sipPort, number, from });
    const stranger = createSocket("udp4");
    let strangerHeard = 0;
    stranger.on("message", () => strangerHeard++);
    try {
      await greeted(platform, caller);
      const recording = await readRecording("go-somewhere.wav");
      const heardBefore = caller.heard.length;
      for (let index = 0; (index + 1) * 160 <= recording.length; index++) {
        const payload = encodePcmu(recording.subarray(index * 160, (index + 1) * 160));
        const rtp = writeRtp({
          marker: false,
          payloadType: 0,
          sequenceNumber: index,
          timestamp: index * 160,
          ssrc: 7,
          payload,
        });
        stranger.send(rtp, caller.remotePort, "127.0.0.1");
        await sleep(20);
      }
      assert.ok(caller.heard.length - heardBefore > 100, "the caller goes on hearing the agent's packets");
      await sleep(1500);
    } finally {
      stranger.close();
      await caller.hangUp();
    }
    assert.equal(strangerHeard, 0);
    assert.equal(textOf(await endedCall(platform, from), "user"), "");
  });
});

async function inviteText(sipPort: number, number: string): Promise<string> {
  using raw = await RawSip.open({ sipPort, number, from: "+15550600099" });
  raw.close();
  return raw.request("INVITE", { body: sdp() });
}

async function flood(port: number, datagram: () => Uint8Array): Promise<void> {
  const socket = createSocket("udp4");
  socket.on("message", () => {});
  for (let sent = 0; sent < DATAGRAMS; sent += BURST) {
    for (let index = 0; index < BURST; index++) socket.send(datagram(), port, "127.0.0.1");
    await sleep(BURST_INTERVAL_MS);
  }
  socket.close();
}

function randomBytes(random: Random, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let index = 0; index < length; index++) bytes[index] = Math.floor(random() * 256);
  return bytes;
}

/** Noise, a message cut short, one with bytes changed, or one that is far too large. */
function hostileSip(random: Random, template: string): Buffer {
  const unique = template.replaceAll(
    /z9hG4bK-|Call-ID: /g,
    (match) => `${match}${random().toString(36).slice(2)}`,
  );
  const choice = random();
  if (choice < 0.3) return randomBytes(random, Math.floor(random() * 400));
  const message = Buffer.from(unique);
  if (choice < 0.5) return message.subarray(0, Math.floor(random() * message.length));
  if (choice < 0.52) return Buffer.concat([message, Buffer.alloc(MAX_DATAGRAM_BYTES - message.length, "a")]);
  for (let changes = 1 + Math.floor(random() * 20); changes > 0; changes--) {
    message[Math.floor(random() * message.length)] = Math.floor(random() * 256);
  }
  return message;
}

/** Noise of any length, or RTP with a foreign source and payload types that were not negotiated, whole and truncated. */
function hostileRtp(random: Random): Buffer {
  const choice = random();
  if (choice < 0.01) return randomBytes(random, 60_000);
  if (choice < 0.4) return randomBytes(random, Math.floor(random() * 300));
  const rtp = Buffer.from(
    writeRtp({
      marker: random() < 0.5,
      payloadType: random() < 0.5 ? 0 : Math.floor(random() * 128),
      sequenceNumber: Math.floor(random() * 65_536),
      timestamp: Math.floor(random() * 2 ** 32),
      ssrc: Math.floor(random() * 2 ** 32),
      payload: randomBytes(random, 160),
    }),
  );
  return choice < 0.5 ? rtp.subarray(0, Math.floor(random() * 20)) : rtp;
}
