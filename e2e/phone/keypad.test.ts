import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { CallDetail, TranscriptItem } from "@parley/contract";
import { UserAgent } from "@parley/sip";
import { type ScriptedServer, startScriptedOpenAi } from "@parley/providers/testing";
import { createAgent, endedCall, findCall } from "../support/platform/agents.ts";
import { Baresip } from "../support/phone/baresip.ts";
import { skipWithout } from "../support/phone/peers.ts";
import { Platform } from "../support/platform/platform.ts";
import { sdp } from "../support/phone/raw-sip.ts";
import { waitFor } from "@parley/testing";
import { Sipp } from "../support/phone/sipp.ts";
import { greetingOver } from "../support/audio/talk.ts";

/** Presses the caller's keys in reverse order, and then says so. */
async function startModel(): Promise<ScriptedServer> {
  return await startScriptedOpenAi({
    reply: ({ messages, tools, lastUserText }) => {
      if (messages.at(-1)?.role === "tool") return { text: "I have pressed them." };
      const keys = /pressed (\S+) on the keypad/.exec(lastUserText)?.[1] ?? "";
      if (!tools.includes("play_keypad_touch_tone")) return { text: `You pressed ${keys}.` };
      const name = "play_keypad_touch_tone";
      return { toolCalls: [{ name, input: { keys: keys.split("").toReversed().join("") } }] };
    },
  });
}

function keysIn({ transcript }: CallDetail): Pick<TranscriptItem, "text" | "direction">[] {
  const keys = transcript.filter(({ type }) => type === "dtmf");
  return keys.map(({ text, direction }) => ({ text, ...(direction && { direction }) }));
}

function typesOf({ transcript }: CallDetail): string[] {
  return transcript.map(({ type, role }) => role ?? type);
}

describe("keys in a telephone call", { concurrency: true }, () => {
  let platform: Platform;
  let model: ScriptedServer;
  before(async () => {
    model = await startModel();
    const env = { PARLEY_LLM_BASE_URL: `${model.url}/v1`, PARLEY_LLM_MODEL: "scripted" };
    platform = await Platform.start({ env });
  });
  after(async () => {
    await model.close();
    await platform.stop();
  });

  test("baresip hears the keys that the agent presses", { skip: skipWithout("baresip") }, async () => {
    const from = "+15550700001";
    const { number } = await createAgent(platform, {
      playKeypadTouchToneEnabled: true,
      firstMessage: "Hello.",
    });
    const baresip = await Baresip.start({ from });
    try {
      await baresip.dial(`sip:${number}@127.0.0.1:${platform.sipPort}`);
      await waitFor("the greeting", async () => {
        const call = await findCall(platform, from);
        return call !== undefined && typesOf(call).includes("agent");
      });
      baresip.press("4711#");
      await waitFor("the keys at baresip", () => baresip.heardKeys === "#1174", 20_000);
      await waitFor("the agent's answer", async () => {
        const call = await findCall(platform, from);
        return call?.transcript.some(({ text }) => text === "I have pressed them.");
      });
      await baresip.hangUp();
    } finally {
      await baresip.close();
    }
    const call = await endedCall(platform, from);
    assert.deepEqual(typesOf(call), ["agent", "dtmf", "tool_call", "dtmf", "tool_result", "agent"]);
    assert.deepEqual(keysIn(call), [
      { text: "4711#", direction: "received" },
      { text: "#1174", direction: "sent" },
    ]);
  });

  test(
    "what SIPp presses is one input, answered after a pause",
    { skip: skipWithout("sipp") },
    async (context) => {
      const from = "+15550700002";
      const { number } = await createAgent(platform, { firstMessage: "Hello." });
      const values = { from, keys: "1234" };
      const sipp = await Sipp.start("keys", { calledPort: platform.sipPort, number, values });
      context.after(async () => await sipp.stop());
      const read = async (): Promise<CallDetail | undefined> => await findCall(platform, from);
      await greetingOver(read);
      sipp.cue();
      await waitFor(
        "the agent's answer",
        async () => (await read())?.transcript.at(-1)?.text === "You pressed 1234.",
      );
      sipp.cue();
      await sipp.done;
      const call = await endedCall(platform, from);
      assert.deepEqual(keysIn(call), [{ text: "1234", direction: "received" }]);
    },
  );

  for (const payloads of ["0", "0 101"]) {
    const hasEvents = payloads.includes("101");
    test(`keys by INFO are heard${hasEvents ? ", although telephone events were negotiated" : ""}`, async (context) => {
      const from = hasEvents ? "+15550700004" : "+15550700003";
      const { number } = await createAgent(platform, { firstMessage: "Hello." });
      const caller = await UserAgent.listen({
        bind: { address: "127.0.0.1", port: 0 },
        onInvite: (invite) => invite.reject(486),
      });
      context.after(async () => await caller.close());
      const offer = `${sdp({ payloads })}${hasEvents ? "a=rtpmap:101 telephone-event/8000\r\n" : ""}`;
      const to = `sip:${number}@127.0.0.1:${platform.sipPort}`;
      const call = await caller.invite({ to, from: `sip:${from}@127.0.0.1`, sdp: offer });
      assert.ok(call.ok);
      await waitFor("the greeting", async () => {
        const active = await findCall(platform, from);
        return active !== undefined && typesOf(active).includes("agent");
      });
      assert.ok((await call.session.sendDtmf("7")).ok);
      assert.ok((await call.session.sendDtmf("#", { type: "application/dtmf" })).ok);
      await waitFor("the agent's answer", async () =>
        (await findCall(platform, from))?.transcript.some(({ text }) => text === "You pressed 7#."),
      );
      await caller.close();
      const keys = keysIn(await endedCall(platform, from));
      assert.deepEqual(keys, [{ text: "7#", direction: "received" }]);
    });
  }
});
