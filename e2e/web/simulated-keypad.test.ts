import assert from "node:assert/strict";
import { test } from "node:test";
import { startScriptedOpenAi } from "@parley/providers/testing";
import { waitFor } from "@parley/testing";
import { greetingOver } from "../support/audio/talk.ts";
import { createAgent } from "../support/platform/agents.ts";
import { Platform } from "../support/platform/platform.ts";
import { BrowserCaller, endedTestCall, startTestCall, testCall } from "../support/web/browser-caller.ts";
import { skipWithoutChromium } from "../support/web/chromium-program.ts";
import { Chromium } from "../support/web/chromium.ts";

test(
  "keys that the agent presses in a browser call are simulated: recorded, and reported as pressed",
  { skip: skipWithoutChromium },
  async (context) => {
    const model = await startScriptedOpenAi({
      reply: ({ messages }) =>
        messages.at(-1)?.role === "tool"
          ? { text: "I have pressed them." }
          : { toolCalls: [{ name: "play_keypad_touch_tone", input: { keys: "12#" } }] },
    });
    context.after(async () => await model.close());
    const env = { PARLEY_LLM_BASE_URL: `${model.url}/v1`, PARLEY_LLM_MODEL: "scripted" };
    const platform = await Platform.start({ env });
    context.after(async () => await platform.stop());
    const chromium = await Chromium.launch({ microphone: new Int16Array(48_000) });
    context.after(async () => await chromium.close());
    const { agentId } = await createAgent(platform, {
      firstMessage: "Hello.",
      playKeypadTouchToneEnabled: true,
    });
    const call = await startTestCall(platform, agentId);
    const caller = await BrowserCaller.open(chromium, platform);
    assert.equal(await caller.join(call), 201);
    const read = testCall(platform, call.callId);
    await greetingOver(read);
    await platform.api.instructCall(call.callId, { instruction: "Press 12#.", speak: true });
    await waitFor("the agent's report", async () => {
      const { transcript } = await platform.api.getCall(call.callId);
      return transcript.some(({ text }) => text === "I have pressed them.");
    });
    assert.equal(await caller.hangUp(), 200);
    const { transcript } = await endedTestCall(platform, call.callId);
    const keys = transcript.find(({ type }) => type === "dtmf");
    assert.deepEqual([keys?.text, keys?.direction], ["12#", "sent"]);
    assert.equal(transcript.find(({ type }) => type === "tool_result")?.isError ?? false, false);
  },
);
