import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { wordOverlap } from "../apps/server/src/demo/word-overlap.ts";
import { createAgent, endedCall, findCall, textOf } from "./support/agents.ts";
import { Baresip } from "./support/baresip.ts";
import { skipWithout } from "./support/peers.ts";
import { Platform } from "./support/platform.ts";
import { recognise } from "./support/recognise.ts";
import { GO_FORWARD, plainWords, readRecording, withSilence } from "./support/recordings.ts";
import { speechSegments } from "./support/speech-segments.ts";
import { waitFor } from "@parley/testing";

const FROM = "+15550400001";
const LEAST_OVERLAP = 0.75;

describe("a call from baresip", { skip: skipWithout("baresip") }, () => {
  let platform: Platform;
  before(async () => void (platform = await Platform.start()));
  after(async () => await platform.stop());

  test("the person is understood, and what the agent says is recognised at the other end", async () => {
    const { number } = await createAgent(platform, { voiceId: null });
    const recording = await readRecording("go-forward.wav");
    // baresip speaks from its answer on, and the call ends when its file does.
    const baresip = await Baresip.start({
      from: FROM,
      pcm: withSilence(recording, { beforeMs: 6000, afterMs: 30_000 }),
    });
    let heard: Int16Array = new Int16Array(0);
    try {
      await baresip.dial(`sip:${number}@127.0.0.1:${platform.sipPort}`);
      await waitFor(
        "the agent's answer",
        async () => {
          const messages = (await findCall(platform, FROM))?.transcript.filter(
            ({ role }) => role === "agent",
          );
          return messages?.length === 2;
        },
        25_000,
      );
      // What was said last is still to be played there.
      await sleep(500);
      await baresip.hangUp();
    } finally {
      heard = await baresip.close();
    }
    const call = await endedCall(platform, FROM);
    assert.deepEqual([call.status, call.endReason], ["completed", "user_hangup"]);
    assert.equal(wordOverlap(GO_FORWARD, plainWords(textOf(call, "user"))), 1, textOf(call, "user"));
    const recognised = await recognise(speechSegments(heard));
    const share = wordOverlap(plainWords(textOf(call, "agent")), plainWords(recognised));
    assert.ok(share >= LEAST_OVERLAP, `of ${textOf(call, "agent")} only ${recognised} was heard`);
  });
});
