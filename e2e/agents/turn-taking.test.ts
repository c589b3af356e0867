import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createAgent, endedCall, textOf } from "../support/platform/agents.ts";
import { Platform } from "../support/platform/platform.ts";
import { readRecording } from "../support/audio/recordings.ts";
import { ask, greeted, isFiller } from "../support/audio/talk.ts";
import { TestCaller } from "../support/phone/test-caller.ts";

const LONG_GREETING =
  "Welcome to the model railway club. Our club house stands behind the old station, ten meters to the left. " +
  "We are open on Saturday from nine to one, and children are always welcome to drive the trains. " +
  "Every first Saturday of the month we run the great steam engine in the yard, whatever the weather may be.";

describe("the end of a speech and of a call", { concurrency: true }, () => {
  let platform: Platform;
  before(async () => void (platform = await Platform.start()));
  after(async () => await platform.stop());

  test("a caller who says goodbye hears the agent's goodbye and then its BYE", async () => {
    const { number } = await createAgent(platform);
    await using caller = await TestCaller.call({ sipPort: platform.sipPort, number, from: "+15550300001" });
    try {
      await greeted(platform, caller);
      const saidAtMs = performance.now();
      await caller.say(await readRecording("goodbye.wav"));
      assert.equal(await caller.ended(), "remote_bye");
      assert.ok(caller.speechMsSince(saidAtMs) > 300, "the goodbye was heard");
    } finally {
      await caller.close();
    }
    const call = await endedCall(platform, "+15550300001");
    assert.deepEqual([call.status, call.endReason], ["completed", "agent_hangup"]);
    assert.match(textOf(call, "agent"), /bye/i);
  });

  test("a caller who barges in stops the agent, and the transcript contains only what was heard", async () => {
    const { number } = await createAgent(platform, { firstMessage: LONG_GREETING });
    await using caller = await TestCaller.call({ sipPort: platform.sipPort, number, from: "+15550300002" });
    try {
      await caller.agentToSpeak({ ms: 2000 });
      await ask(platform, caller);
    } finally {
      await caller.hangUp();
    }
    const { transcript } = await endedCall(platform, "+15550300002");
    const spoken = transcript.filter((item) => item.type === "message" && !isFiller(item));
    const [greeting, words, answer] = spoken;
    assert.equal(greeting?.interrupted, true);
    assert.ok(
      (greeting?.text.length ?? 0) > 0 && (greeting?.text.length ?? Infinity) < LONG_GREETING.length / 2,
      greeting?.text,
    );
    assert.ok(LONG_GREETING.startsWith(greeting?.text.slice(0, 20) ?? "?"));
    assert.equal(words?.role, "user");
    assert.equal(answer?.role, "agent");
  });
});
