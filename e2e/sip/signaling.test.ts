import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { callsFrom, createAgent, endedCall, findCall } from "../support/platform/agents.ts";
import { Platform } from "../support/platform/platform.ts";
import { RawSip, sdp } from "../support/phone/raw-sip.ts";
import { TestCaller } from "../support/phone/test-caller.ts";
import { waitFor } from "@parley/testing";
import { ToolServer } from "../support/platform/tool-server.ts";

describe("the signaling of a started platform", () => {
  let platform: Platform;
  let number: string;
  let sipPort: number;
  /** Answers nothing. */
  let webhooks: ToolServer;

  before(async () => {
    webhooks = await ToolServer.start(() => {});
    platform = await Platform.start({ env: { PARLEY_ALLOW_PRIVATE_WEBHOOKS: "true" } });
    ({ number } = await createAgent(platform, { silenceEndCallTimeoutSeconds: 5 }));
    ({ sipPort } = platform);
  });
  after(async () => {
    try {
      await waitFor("no call to be active", async () => (await platform.metric("parley_active_calls")) === 0);
    } finally {
      await platform.stop();
      webhooks.close();
    }
  });

  /** Returns the status of a rejected call. */
  async function refusal(dialed: string, from: string): Promise<number> {
    await using caller = await TestCaller.open({ sipPort, number: dialed, from });
    try {
      const result = await caller.dial();
      assert.ok(!result.ok, "the call was taken");
      return result.status;
    } finally {
      await caller.close();
    }
  }

  /** An established call of a raw caller: INVITE answered and acknowledged. */
  async function establish(raw: RawSip, offer: string, answer = ""): Promise<string> {
    raw.send(raw.request("INVITE", { body: offer }));
    const response = await raw.response("INVITE");
    assert.equal(RawSip.statusOf(response), 200, response);
    raw.send(raw.request("ACK", { body: answer }));
    return response;
  }

  async function hangUp(raw: RawSip, sequence: number): Promise<void> {
    raw.send(raw.request("BYE", { sequence }));
    assert.equal(RawSip.statusOf(await raw.response("BYE", sequence)), 200);
    raw.close();
  }

  test("an unknown number is rejected with 404, and no call is stored", async () => {
    assert.equal(await refusal("+15550999999", "+15550500001"), 404);
    assert.deepEqual(await callsFrom(platform, "+15550500001"), []);
  });

  test("a disabled agent is not available: 480", async () => {
    const disabled = await createAgent(platform);
    await platform.api.updateAgent(disabled.agentId, { status: "disabled" });
    assert.equal(await refusal(disabled.number, "+15550500002"), 480);
  });

  test("a caller without a supported codec is rejected with 488", async () => {
    using raw = await RawSip.open({ sipPort, number, from: "+15550500003" });
    raw.send(raw.request("INVITE", { body: sdp({ payloads: "18" }) }));
    assert.equal(RawSip.statusOf(await raw.response("INVITE")), 488);
    raw.send(raw.request("ACK"));
    raw.close();
    assert.equal((await endedCall(platform, "+15550500003")).status, "failed");
  });

  test("keys that the caller presses are in the transcript", async () => {
    await using caller = await TestCaller.call({ sipPort, number, from: "+15550500004" });
    try {
      await caller.agentToSpeak();
      caller.press("407#");
      await waitFor("the keys", async () => {
        const items = (await findCall(platform, "+15550500004"))?.transcript ?? [];
        return (
          items
            .filter(({ type }) => type === "dtmf")
            .map(({ text }) => text)
            .join("") === "407#"
        );
      });
    } finally {
      await caller.hangUp();
    }
    assert.equal((await endedCall(platform, "+15550500004")).endReason, "user_hangup");
  });

  test("a call that its caller cancels while it rings is canceled", async () => {
    // It rings for as long as the webhook is waited for: the CANCEL comes before the answer.
    const agent = await createAgent(platform, { preCallWebhookUrl: webhooks.url });
    await using caller = await TestCaller.open({ sipPort, number: agent.number, from: "+15550500005" });
    try {
      const cancel = new AbortController();
      const result = await caller.dial({ signal: cancel.signal, onRinging: () => cancel.abort() });
      assert.ok(!result.ok && result.cause === "canceled", JSON.stringify(result));
    } finally {
      await caller.close();
    }
    const call = await endedCall(platform, "+15550500005");
    assert.deepEqual([call.status, call.endReason, call.billableSeconds], ["canceled", "canceled", 0]);
  });

  test("a retransmitted INVITE makes no second call", async () => {
    const from = "+15550500006";
    using raw = await RawSip.open({ sipPort, number, from });
    const invite = raw.request("INVITE", { body: sdp() });
    for (let times = 0; times < 5; times++) {
      raw.send(invite);
      await sleep(20);
    }
    assert.equal(RawSip.statusOf(await raw.response("INVITE")), 200);
    raw.send(raw.request("ACK"));
    raw.send(invite);
    await hangUp(raw, 2);
    await endedCall(platform, from);
    assert.equal((await callsFrom(platform, from)).length, 1);
  });

  test("a caller without an offer answers ours in the ACK and is heard", async () => {
    const from = "+15550500007";
    using raw = await RawSip.open({ sipPort, number, from });
    const response = await establish(raw, "", sdp());
    assert.match(response, /^m=audio \d+ RTP\/AVP 0 8 9 101\r$/m);
    await waitFor(
      "the call to go on",
      async () => (await findCall(platform, from))?.status === "in_progress",
    );
    await hangUp(raw, 2);
    assert.deepEqual([(await endedCall(platform, from)).endReason], ["user_hangup"]);
  });

  test("a call survives hold and resume, and nothing is sent during hold", async () => {
    const from = "+15550500008";
    using raw = await RawSip.open({ sipPort, number, from });
    await establish(raw, sdp());
    const steps = [
      { direction: "sendonly", answered: "recvonly" },
      { direction: "inactive", answered: "inactive" },
      { direction: "sendrecv", answered: "sendrecv" },
    ];
    for (const [index, { direction, answered }] of steps.entries()) {
      const sequence = index + 2;
      raw.send(raw.request("INVITE", { sequence, body: sdp({ direction, version: sequence }) }));
      const response = await raw.response("INVITE", sequence);
      assert.equal(RawSip.statusOf(response), 200);
      assert.match(response, new RegExp(`^a=${answered}\\r$`, "m"));
      raw.send(raw.request("ACK", { sequence }));
    }
    assert.equal((await findCall(platform, from))?.status, "in_progress");
    await hangUp(raw, steps.length + 2);
    const call = await endedCall(platform, from);
    assert.deepEqual([call.status, call.endReason], ["completed", "user_hangup"]);
  });

  test("a re-INVITE without a supported codec is rejected and the call continues", async () => {
    const from = "+15550500009";
    using raw = await RawSip.open({ sipPort, number, from });
    await establish(raw, sdp());
    raw.send(raw.request("INVITE", { sequence: 2, body: sdp({ payloads: "18", version: 2 }) }));
    assert.equal(RawSip.statusOf(await raw.response("INVITE", 2)), 488);
    raw.send(raw.request("ACK", { sequence: 2 }));
    assert.equal((await findCall(platform, from))?.status, "in_progress");
    await hangUp(raw, 3);
    assert.equal((await endedCall(platform, from)).status, "completed");
  });

  test("a caller that vanishes without a BYE is hung up after the silence that the agent allows", async () => {
    const from = "+15550500010";
    using raw = await RawSip.open({ sipPort, number, from });
    await establish(raw, sdp());
    const call = await endedCall(platform, from, 25_000);
    assert.deepEqual([call.status, call.endReason], ["completed", "silence_timeout"]);
    assert.ok(raw.received.some((message) => message.startsWith("BYE ")));
    raw.close();
  });
});
