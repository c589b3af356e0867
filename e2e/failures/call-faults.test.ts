import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { acceptAnswer, type AudioSettings, buildOffer, LocalSrtpKeys, UserAgent } from "@parley/sip";
import { deriveSessionKeys } from "../../packages/rtp/src/srtp/key-derivation.ts";
import { freePort, waitFor } from "@parley/testing";
import { createAgent, endedCall } from "../support/platform/agents.ts";
import { soundsThatThrow, TEXT_THAT_THROWS } from "../support/platform/fault-injection.ts";
import { Platform } from "../support/platform/platform.ts";
import { descendantsOf } from "../support/platform/processes.ts";
import { readRecording } from "../support/audio/recordings.ts";
import { type ScriptedProviders, startScriptedProviders } from "../support/platform/scripted-providers.ts";
import { greeted } from "../support/audio/talk.ts";
import { TestCaller } from "../support/phone/test-caller.ts";

const SUITE = "AES_CM_128_HMAC_SHA1_80";
const FRAME_SAMPLES = 160;

const WHEEL_LAG = "parley_media_wheel_lag_p99_seconds";

describe("two calls in one media process, and an exception", () => {
  let providers: ScriptedProviders;
  let platform: Platform;
  let number: string;
  before(async () => {
    providers = await startScriptedProviders(TEXT_THAT_THROWS, () => ({ text: "I hear you." }));
    platform = await Platform.start({
      env: {
        ...providers.env,
        PARLEY_MEDIA_PROCESSES: "1",
        NODE_OPTIONS: `--import=${new URL("../support/platform/fault-injection.ts", import.meta.url).href}`,
      },
    });
    ({ number } = await createAgent(platform, {
      silenceEndCallTimeoutSeconds: 60,
      voiceId: "elevenlabs/rachel",
    }));
  });
  after(async () => {
    await platform.stop();
    await providers.close();
  });

  const mediaPid = (): number | undefined =>
    descendantsOf(platform.process.pid ?? 0).find(({ command }) => command.includes("media-process"))?.pid;

  /** Two callers are greeted; one of them does something, and the other must not notice. */
  async function withOther(from: string, act: (caller: TestCaller) => Promise<void>): Promise<void> {
    const { sipPort } = platform;
    const pid = mediaPid();
    assert.ok(pid !== undefined);
    await using other = await TestCaller.open({ sipPort, number, from: "+15550900099" });
    await using caller = await TestCaller.open({ sipPort, number, from });
    try {
      // A process that was late with the calls before takes one at a time, until it has had none for some seconds.
      await waitFor("room for two calls", async () => (await platform.metric(WHEEL_LAG)) === 0);
      for (const result of await Promise.all([other.dial(), caller.dial()])) assert.ok(result.ok);
      await Promise.all([greeted(platform, other), greeted(platform, caller)]);
      await act(caller);
      const heard = other.heard.length;
      await waitFor("more audio in the other call", () => other.heard.length > heard + 20);
      assert.equal(other.session.isEnded, false);
      assert.equal(mediaPid(), pid);
    } finally {
      await Promise.all([caller.close(), other.close()]);
    }
  }

  async function assertFailed(from: string, detail: string): Promise<void> {
    const call = await endedCall(platform, from);
    assert.deepEqual([call.status, call.endReason, call.endDetail], ["failed", "error_internal", detail]);
  }

  const sound = (sample: number): Int16Array => new Int16Array(FRAME_SAMPLES).fill(sample);

  test("an exception in the handler of a packet ends only its own call", async () => {
    const from = "+15550900001";
    const faults = await platform.metric("parley_call_faults_total");
    await withOther(from, async (caller) => {
      await caller.say(sound(soundsThatThrow.inPacketHandler));
      assert.equal(await caller.ended(), "remote_bye");
    });
    await assertFailed(from, "injected into a packet handler");
    assert.equal((await platform.metric("parley_call_faults_total")) - faults, 1);
  });

  test("an exception in the handler of a vendor's message ends only the recognizer's call", async () => {
    const from = "+15550900002";
    await withOther(from, async (caller) => {
      await caller.say(await readRecording("go-forward.wav"));
      assert.equal(await caller.ended(), "remote_bye");
    });
    await assertFailed(from, "injected into a vendor's message");
  });

  test("an exception in a timer without a call is counted, and every call continues", async () => {
    const from = "+15550900003";
    const faults = await platform.metric("parley_process_faults_total");
    await withOther(from, async (caller) => {
      await caller.say(sound(soundsThatThrow.inTimer));
      await waitFor(
        "the exception to be counted",
        async () => (await platform.metric("parley_process_faults_total")) === faults + 1,
      );
      const heard = caller.heard.length;
      await waitFor("more audio", () => caller.heard.length > heard + 20);
      await caller.hangUp();
    });
    assert.equal((await endedCall(platform, from)).endReason, "user_hangup");
    assert.match(platform.output, /injected into a timer/);
  });

  test("authentic SRTCP larger than 1,558 bytes does no harm", async () => {
    const from = "+15550900004";
    const [rtp, rtcp] = await bindPair();
    const agent = await UserAgent.listen({
      bind: { address: "127.0.0.1", port: 0 },
      onInvite: (invite) => invite.reject(486),
    });
    const pid = mediaPid();
    try {
      const settings: AudioSettings = {
        address: "127.0.0.1",
        port: rtp.address().port,
        codecs: [{ name: "PCMU", clockRateHz: 8000, payloadType: 0 }],
        srtp: { keys: new LocalSrtpKeys(), isRequired: true },
      };
      const call = await agent.invite({
        to: `sip:${number}@127.0.0.1:${platform.sipPort}`,
        from: `sip:${from}@127.0.0.1`,
        sdp: buildOffer(settings),
      });
      assert.ok(call.ok);
      const answer = acceptAnswer(call.session.remoteSdp, settings);
      assert.ok(answer.ok);
      const { remote, srtp } = answer.audio;
      assert.equal(srtp?.suite, SUITE);
      let heard = 0;
      rtp.on("message", () => heard++);
      for (const bytes of [1_537, 1_559, 8_000, 60_000]) {
        rtcp.send(authenticReport(srtp.localMasterKey, bytes), remote.port + 1, remote.address);
      }
      await sleep(200);
      heard = 0;
      await waitFor("more audio", () => heard > 20);
      assert.equal(mediaPid(), pid);
      await call.session.bye();
    } finally {
      await agent.close();
      rtp.close();
      rtcp.close();
    }
    assert.equal((await endedCall(platform, from)).endReason, "user_hangup");
  });
});

/** Two sockets in a row, RTP's and RTCP's. */
async function bindPair(): Promise<[Socket, Socket]> {
  const port = await freePort();
  const sockets: [Socket, Socket] = [createSocket("udp4"), createSocket("udp4")];
  for (const [index, socket] of sockets.entries()) {
    socket.bind(port + index, "127.0.0.1");
    await once(socket, "listening");
  }
  return sockets;
}

/** Encrypted noise whose tag is right (RFC 3711 §3.4). */
function authenticReport(masterKey: Uint8Array, bytes: number): Buffer {
  const packet = Buffer.alloc(8 + bytes + 4);
  packet.set([0x80, 200]);
  packet.writeUInt32BE(0x8000_0000 + bytes, 8 + bytes);
  const { authentication } = deriveSessionKeys(SUITE, masterKey, "rtcp");
  return Buffer.concat([packet, createHmac("sha1", authentication).update(packet).digest().subarray(0, 10)]);
}
