import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { CallDetail } from "@parley/contract";
import { wordOverlap } from "../apps/server/src/demo/word-overlap.ts";
import { createAgent, endedCall, findCall, textOf } from "./support/agents.ts";
import { Baresip, type BaresipOptions } from "./support/baresip.ts";
import { skipWithout } from "./support/peers.ts";
import { Platform } from "./support/platform.ts";
import { GO_FORWARD, plainWords, readRecording, toPackets, withSilence } from "./support/recordings.ts";
import { runSipp } from "./support/sipp.ts";
import { speechSegments } from "./support/speech-segments.ts";
import { waitFor } from "@parley/testing";

const GREETING = "Hello, you may speak now.";
const ANSWER_DEADLINE_MS = 25_000;

describe("media as carriers send it", { skip: skipWithout("baresip") || skipWithout("sipp") }, () => {
  let platform: Platform;
  let number: string;
  before(async () => {
    platform = await Platform.start({ env: { PARLEY_RTP_TIMEOUT_SECONDS: "4" } });
    ({ number } = await createAgent(platform, { firstMessage: GREETING }));
  });
  after(async () => await platform.stop());

  /** A person at baresip speaks once and is answered; gives the call's record and how much speech came back. */
  async function talk(
    from: string,
    options: Partial<BaresipOptions>,
  ): Promise<{ call: CallDetail; speeches: number }> {
    const pcm = withSilence(await readRecording("go-forward.wav"), { beforeMs: 4000, afterMs: 30_000 });
    const baresip = await Baresip.start({ from, pcm, ...options });
    let heard: Int16Array = new Int16Array(0);
    try {
      await baresip.dial(`sip:${number}@127.0.0.1:${platform.sipPort}`);
      await waitFor(
        "the agent's answer",
        async () => {
          const messages = (await findCall(platform, from))?.transcript ?? [];
          return messages.filter(({ role }) => role === "agent").length === 2;
        },
        ANSWER_DEADLINE_MS,
      );
      await sleep(500);
      await baresip.hangUp();
    } finally {
      heard = await baresip.close();
    }
    return { call: await endedCall(platform, from), speeches: speechSegments(heard).length };
  }

  function assertGood({ call, speeches }: { call: CallDetail; speeches: number }): void {
    assert.deepEqual([call.status, call.endReason], ["completed", "user_hangup"]);
    const understood = wordOverlap(GO_FORWARD, plainWords(textOf(call, "user")));
    assert.equal(understood, 1, JSON.stringify(call.transcript));
    assert.ok(speeches >= 2, "the greeting and the answer were heard");
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
    const recording = withSilence(await readRecording("go-forward.wav"), { beforeMs: 3000, afterMs: 8000 });
    const values = { from, talkMs: 9000 };
    const audio = toPackets(recording, "PCMA");
    await runSipp({ scenario: "offer", sipPort: platform.sipPort, number, values, audio });
    const call = await endedCall(platform, from);
    assert.deepEqual([call.status, call.endReason], ["completed", "user_hangup"]);
    assert.equal(
      wordOverlap(GO_FORWARD, plainWords(textOf(call, "user"))),
      1,
      JSON.stringify(call.transcript),
    );
    assert.equal(call.quality?.codec, "PCMA");
  });

  test("a caller whose audio stops without a BYE is hung up on, and the record says why", async () => {
    const from = "+15550600004";
    const audio = toPackets(new Int16Array(8000), "PCMU");
    const values = { from, codec: "PCMU", payloadType: 0, greetingMs: 500, answerMs: 20_000 };
    const calling = runSipp({ scenario: "talk", sipPort: platform.sipPort, number, values, audio });
    // Its scenario does not expect to be hung up on.
    const hungUp = assert.rejects(calling, /unexpected BYE/);
    const call = await endedCall(platform, from, 20_000);
    assert.deepEqual([call.status, call.endReason], ["failed", "media_timeout"]);
    assert.match(call.endDetail ?? "", /no RTP or RTCP received for \d s/);
    await hungUp;
  });
});
