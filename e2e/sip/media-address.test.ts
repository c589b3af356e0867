import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createAgent, endedCall } from "../support/platform/agents.ts";
import { Platform } from "../support/platform/platform.ts";
import { RawSip, sdp } from "../support/phone/raw-sip.ts";
import { type ScriptedProviders, startScriptedProviders } from "../support/platform/scripted-providers.ts";
import { TestCaller } from "../support/phone/test-caller.ts";
import { waitFor } from "@parley/testing";

/** Packets of the 2 s of audio that an unconfirmed caller gets. */
const MAX_UNCONFIRMED_PACKETS = 100;

describe("the destination of a phone call's audio", () => {
  let providers: ScriptedProviders;
  let platform: Platform;
  let number: string;
  before(async () => {
    providers = await startScriptedProviders("Hello.", () => ({ text: "I hear you." }));
    platform = await Platform.start({ env: providers.env });
    ({ number } = await createAgent(platform, { voiceId: "elevenlabs/rachel" }));
  });
  after(async () => {
    await platform.stop();
    await providers.close();
  });

  test("an offer with a multicast, broadcast or unroutable address is rejected with 488", async () => {
    for (const [index, address] of ["224.0.0.1", "255.255.255.255", "169.254.1.1"].entries()) {
      const from = `+1555091000${index}`;
      using caller = await RawSip.open({ sipPort: platform.sipPort, number, from });
      try {
        caller.send(
          caller.request("INVITE", { body: sdp().replace("c=IN IP4 127.0.0.1", `c=IN IP4 ${address}`) }),
        );
        assert.equal(RawSip.statusOf(await caller.response("INVITE")), 488);
      } finally {
        caller.close();
      }
      const call = await endedCall(platform, from);
      assert.deepEqual(
        [call.status, call.endDetail],
        ["failed", "SDP offer rejected: 488 Media Address Not Allowed"],
      );
    }
  });

  test("during a call this address is rejected, and the audio keeps its destination", async () => {
    await using caller = await TestCaller.call({ sipPort: platform.sipPort, number, from: "+15550910010" });
    try {
      await caller.agentToSpeak();
      const result = await caller.session.offer(
        sdp({ version: 9 }).replace("c=IN IP4 127.0.0.1", "c=IN IP4 224.0.0.1"),
      );
      assert.deepEqual([result.ok, !result.ok && result.status], [false, 488]);
      const heard = caller.heard.length;
      await waitFor("more audio", () => caller.heard.length > heard + 20);
    } finally {
      await caller.hangUp();
    }
  });

  test("an unacknowledged INVITE sends at most 2 s of audio to the address in its SDP", async () => {
    const victim = createSocket("udp4").bind(0, "127.0.0.1");
    await once(victim, "listening");
    let packets = 0;
    victim.on("message", () => packets++);
    using forger = await RawSip.open({ sipPort: platform.sipPort, number, from: "+15550910020" });
    try {
      forger.send(forger.request("INVITE", { body: sdp({ port: victim.address().port }) }));
      assert.equal(RawSip.statusOf(await forger.response("INVITE")), 200);
      await waitFor("2 s of audio", () => packets >= MAX_UNCONFIRMED_PACKETS);
      await sleep(1_500);
      assert.equal(packets, MAX_UNCONFIRMED_PACKETS);
    } finally {
      forger.close();
      victim.close();
    }
  });
});
