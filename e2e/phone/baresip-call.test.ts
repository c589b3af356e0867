import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { wordOverlap } from "../../apps/server/src/demo/word-overlap.ts";
import { createAgent, textOf } from "../support/platform/agents.ts";
import { talkByBaresip } from "../support/phone/baresip-person.ts";
import { skipWithout } from "../support/phone/peers.ts";
import { Platform } from "../support/platform/platform.ts";
import { recognize } from "../support/audio/recognize.ts";
import { plainWords } from "../support/audio/recordings.ts";
import { speechSegments } from "../support/audio/speech-segments.ts";
import { assertTalk } from "../support/audio/talk.ts";

const FROM = "+15550400001";
const GREETING = "Hello, this is the model railway club. How can I help you?";
const MIN_OVERLAP = 0.75;

describe("a call from baresip", { skip: skipWithout("baresip") }, () => {
  let platform: Platform;
  before(async () => void (platform = await Platform.start()));
  after(async () => await platform.stop());

  test("the person is understood, and what the agent says is recognized at the other end", async () => {
    const { number } = await createAgent(platform, { firstMessage: GREETING });
    const uri = `sip:${number}@127.0.0.1:${platform.sipPort}`;
    const { call, heard } = await talkByBaresip(platform, { from: FROM, uri });
    assert.deepEqual([call.status, call.endReason], ["completed", "user_hangup"]);
    assertTalk(call, GREETING);
    const recognized = await recognize(speechSegments(heard));
    const share = wordOverlap(plainWords(textOf(call, "agent")), plainWords(recognized));
    assert.ok(share >= MIN_OVERLAP, `of ${textOf(call, "agent")} only ${recognized} was heard`);
  });
});
