import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  SCRIPTED_ACCOUNT,
  type ScriptedChatReply,
  type ScriptedChatRequest,
  ScriptedTwilio,
} from "@parley/providers/testing";
import { waitFor } from "@parley/testing";
import { createAgent, endedCall } from "../support/platform/agents.ts";
import { Platform } from "../support/platform/platform.ts";
import { type ScriptedProviders, startScriptedProviders } from "../support/platform/scripted-providers.ts";
import { ask, greeted } from "../support/audio/talk.ts";
import { TestCaller } from "../support/phone/test-caller.ts";

const PUBLIC_URL = "http://parley.example";
const OWN_NUMBER = "+14155550100";
const CALLER = "+14155550123";
const WORDS = "We open on Saturday at nine – see you!";

/** Sends the message that the caller asks for, and says what became of it. */
function sendAndSay({ messages }: ScriptedChatRequest): ScriptedChatReply {
  const result = messages.slice(messages.findLastIndex(({ role }) => role === "user") + 1).at(-1);
  if (result?.role === "tool") return { text: "I have sent it to you." };
  return { toolCalls: [{ name: "send_message", input: { text: WORDS } }] };
}

describe("a call in which the agent sends a text message", () => {
  let twilio: ScriptedTwilio;
  let providers: ScriptedProviders;
  let platform: Platform;

  before(async () => {
    twilio = await ScriptedTwilio.start();
    providers = await startScriptedProviders("Please send me the times.", sendAndSay);
    const env = { PARLEY_TWILIO_BASE_URL: twilio.url, PARLEY_PUBLIC_URL: PUBLIC_URL };
    platform = await Platform.start({ env: { ...providers.env, ...env } });
    twilio.locate = (url) => url.replace(PUBLIC_URL, platform.url);
  });

  after(async () => {
    await platform.stop();
    await providers.close();
    await twilio.close();
  });

  test("the message reaches the caller's number by the provider, once, and its delivery is on record", async () => {
    const connection = await platform.api.createMessagingConnection(SCRIPTED_ACCOUNT);
    const { number } = await createAgent(platform, {
      voiceId: null,
      firstMessage: "Hello.",
      messagingConnectionId: connection.id,
      messagingConfig: { fromNumber: OWN_NUMBER, sendMessageEnabled: true },
    });
    const caller = await TestCaller.call({ sipPort: platform.sipPort, number, from: CALLER });
    await greeted(platform, caller);
    const call = await ask(platform, caller);
    await caller.hangUp();
    await caller.close();
    const sent = await waitFor("the message at the provider", () => twilio.messages[0]);
    assert.deepEqual([sent.from, sent.to, sent.body], [OWN_NUMBER, CALLER, WORDS]);
    await twilio.report(sent, "delivered");
    const found = async () => (await platform.api.listMessages()).data;
    await waitFor("the report", async () => (await found())[0]?.status === "delivered");
    const [message, ...others] = await found();
    assert.deepEqual([message?.callId, message?.direction, message?.body], [call.id, "OUTBOUND", WORDS]);
    assert.deepEqual([others.length, twilio.messages.length], [0, 1]);
    const { transcript } = await endedCall(platform, CALLER);
    const result = transcript.find(({ type }) => type === "tool_result");
    assert.deepEqual([result?.toolName, result?.isError ?? false], ["send_message", false]);
  });
});
