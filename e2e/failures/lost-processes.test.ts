import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { CallEndReason } from "@parley/contract";
import { createAgent, endedCall, findCall, textOf } from "../support/platform/agents.ts";
import { Platform } from "../support/platform/platform.ts";
import { descendantsOf } from "../support/platform/processes.ts";
import { GO_FORWARD, plainWords, readRecording } from "../support/audio/recordings.ts";
import { ask, greeted, isFiller } from "../support/audio/talk.ts";
import { TestCaller } from "../support/phone/test-caller.ts";
import { waitFor } from "@parley/testing";

const RESTART_DEADLINE_MS = 30_000;

describe("a platform that loses a process", () => {
  let platform: Platform;
  let number: string;
  before(async () => {
    platform = await Platform.start();
    ({ number } = await createAgent(platform));
  });
  after(async () => await platform.stop());

  function killChild(entry: string): void {
    const child = descendantsOf(platform.process.pid ?? 0).find(({ command }) => command.includes(entry));
    assert.ok(child !== undefined, `${entry} is running`);
    process.kill(child.pid, "SIGKILL");
  }

  async function assertCallWorks(from: string): Promise<void> {
    await waitFor(
      "readiness",
      async () => (await fetch(`${platform.url}/readyz`)).status === 200,
      RESTART_DEADLINE_MS,
    );
    await using caller = await TestCaller.call({ sipPort: platform.sipPort, number, from });
    try {
      await greeted(platform, caller);
      await ask(platform, caller);
    } finally {
      await caller.hangUp();
    }
    const call = await endedCall(platform, from);
    assert.equal(plainWords(textOf(call, "user")).trim(), GO_FORWARD);
    assert.equal(await platform.metric("parley_active_calls"), 0);
  }

  test("a media process that dies ends its calls properly and is replaced", async () => {
    const from = "+15550700001";
    await using caller = await TestCaller.call({ sipPort: platform.sipPort, number, from });
    try {
      await caller.agentToSpeak();
      killChild("media-process");
      assert.equal(await caller.ended(), "remote_bye");
    } finally {
      await caller.close();
    }
    const call = await endedCall(platform, from);
    assert.deepEqual([call.status, call.endReason], ["failed", "error_internal"]);
    assert.match(call.endDetail ?? "", /media-\d+ ended \(SIGKILL\)/);
    await assertCallWorks("+15550700002");
  });

  test("a call that loses the inference process recovers, or ends with the reason", async () => {
    const from = "+15550700003";
    await using caller = await TestCaller.call({ sipPort: platform.sipPort, number, from });
    try {
      await greeted(platform, caller);
      killChild("inference-process");
      await caller.say(await readRecording("go-forward.wav"));
      await waitFor(
        "the call's end or a later answer",
        async () => {
          const { transcript } = (await findCall(platform, from)) ?? { transcript: [] };
          const said = transcript.filter((item) => item.role === "agent" && !isFiller(item));
          return caller.session.isEnded || said.length > 1;
        },
        40_000,
      );
      if (!caller.session.isEnded) await caller.hangUp();
    } finally {
      await caller.close();
    }
    const call = await endedCall(platform, from);
    const expected: CallEndReason[] = ["user_hangup", "error_stt", "error_llm", "error_tts"];
    assert.ok(
      call.endReason !== null && expected.includes(call.endReason),
      `${call.endReason}: ${call.endDetail}`,
    );
    console.log(
      `without its inference process the call ended with ${call.endReason}: ${call.endDetail ?? "recovered"}`,
    );
    await assertCallWorks("+15550700004");
  });
});
