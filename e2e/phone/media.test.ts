import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { CallDetail } from "@parley/contract";
import { createAgent, endedCall } from "../support/platform/agents.ts";
import type { BaresipOptions } from "../support/phone/baresip.ts";
import { talkByBaresip } from "../support/phone/baresip-person.ts";
import { skipWithout } from "../support/phone/peers.ts";
import { Platform } from "../support/platform/platform.ts";
import { readRecording, toPackets, withSilence } from "../support/audio/recordings.ts";
import { Sipp } from "../support/phone/sipp.ts";
import { talkBySipp } from "../support/phone/sipp-person.ts";
import { speechSegments } from "../support/audio/speech-segments.ts";
import { assertTalk, callFrom, greetingOver } from "../support/audio/talk.ts";

const GREETING = "Hello, you may speak now.";

describe("media as carriers send it", { skip: skipWithout("baresip", "sipp"), concurrency: true }, () => {
  let platform: Platform;
  let number: string;
  before(async () => {
    platform = await Platform.start();
    ({ number } = await createAgent(platform, { firstMessage: GREETING }));
  });
  after(async () => await platform.stop());

  /** A person at baresip speaks once and is answered. */
  async function talk(from: string, options: Partial<BaresipOptions>) {
    const uri = `sip:${number}@127.0.0.1:${platform.sipPort}`;
    return await talkByBaresip(platform, { from, uri, ...options });
  }

  function assertGood({ call, heard }: { call: CallDetail; heard: Int16Array }): void {
    assert.deepEqual([call.status, call.endReason], ["completed", "user_hangup"]);
    assertTalk(call, GREETING);
    assert.ok(speechSegments(heard).length >= 2, "the greeting and the answer were heard");
    const { quality } = call;
    assert.ok(quality !== null);
    assert.ok(quality.received.packets > 200 && quality.sent.packets > 200, JSON.stringify(quality));
    assert.ok((quality.received.mos ?? 0) > 3.5, JSON.stringify(quality));
    // baresip reports by RTCP.
    assert.ok(quality.sent.lost !== null && quality.roundTripMs !== null, JSON.stringify(quality));
  }

  test("a call under SRTP is understood both ways, and its record says how it was encrypted", async () => {
    const result = await talk("+15550600001", { isEncrypted: true });
    assertGood(result);
    assert.equal(result.call.quality?.codec, "PCMU");
    assert.equal(result.call.quality?.srtpSuite, "AES_CM_128_HMAC_SHA1_80");
  });

  test("a call over G.722 is understood both ways, under SRTP too", async () => {
    const result = await talk("+15550600002", { codec: "g722", isEncrypted: true });
    assertGood(result);
    assert.equal(result.call.quality?.codec, "G722");
  });

  test("fax and video beside the audio are refused in their places, fax alone with 488, and the talk goes on", async () => {
    const from = "+15550600003";
    const recording = withSilence(await readRecording("go-forward.wav"), { beforeMs: 300, afterMs: 1500 });
    const audio = toPackets(recording, "PCMA");
    const call = await talkBySipp(platform, { from, number, scenario: "offer", audio });
    assert.deepEqual([call.status, call.endReason], ["completed", "user_hangup"]);
    assertTalk(call, GREETING);
    assert.equal(call.quality?.codec, "PCMA");
  });
});

test(
  "a caller whose audio stops without a BYE is hung up on, and the record says why",
  { skip: skipWithout("sipp") },
  async (context) => {
    const platform = await Platform.start({ env: { PARLEY_RTP_TIMEOUT_SECONDS: "10" } });
    context.after(async () => await platform.stop());
    const { number } = await createAgent(platform, { firstMessage: GREETING });
    const from = "+15550600004";
    const values = { from, codec: "PCMU", payloadType: 0 };
    const audio = toPackets(new Int16Array(8000), "PCMU");
    const sipp = await Sipp.start("talk", { calledPort: platform.sipPort, number, values, audio });
    context.after(async () => await sipp.stop());
    await greetingOver(callFrom(platform, from));
    sipp.cue();
    // Its scenario does not expect to be hung up on.
    const hungUp = assert.rejects(sipp.done, /unexpected BYE/);
    const call = await endedCall(platform, from, 30_000);
    assert.deepEqual([call.status, call.endReason], ["failed", "media_timeout"]);
    assert.match(call.endDetail ?? "", /no RTP or RTCP received for \d+ s/);
    await hungUp;
  },
);
