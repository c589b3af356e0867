import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { SipTrunk } from "@parley/contract";
import { buildOffer, LocalSrtpKeys, UserAgent } from "@parley/sip";
import { TestRegistrar } from "../../apps/server/src/modules/sip-trunks/testing.ts";
import { createAgent, endedCall } from "../support/platform/agents.ts";
import { Kamailio } from "../support/phone/kamailio.ts";
import { skipWithout } from "../support/phone/peers.ts";
import { Platform } from "../support/platform/platform.ts";
import { sdp } from "../support/phone/raw-sip.ts";
import { TestCaller } from "../support/phone/test-caller.ts";
import { waitFor } from "@parley/testing";

describe("the trunks of a started platform", () => {
  let platform: Platform;

  before(async () => {
    platform = await Platform.start({ env: { PARLEY_ALLOW_PRIVATE_TRUNK_CHECKS: "true" } });
  });
  after(async () => await platform.stop());

  /** Creates an agent whose trunk has these fields. */
  async function createOnTrunk(fields: object): Promise<{ trunkId: string; number: string }> {
    const { sipTrunkId: trunkId, number } = await createAgent(platform, { silenceEndCallTimeoutSeconds: 5 });
    await platform.api.updateSipTrunk(trunkId, fields);
    return { trunkId, number };
  }

  async function healthy(trunkId: string, isHealthy: (trunk: SipTrunk) => boolean): Promise<void> {
    await waitFor("the trunk's health", async () => isHealthy(await platform.api.getSipTrunk(trunkId)));
  }

  test(
    "a call through Kamailio, which stays on its way, is answered, and ended from either side",
    { skip: skipWithout("kamailio") },
    async () => {
      const proxy = await Kamailio.start(platform.sipPort);
      try {
        // Nothing but the trunk's own host may call.
        const fields = { proxyAddress: `127.0.0.1:${proxy.port}`, allowedAddresses: ["192.0.2.1"] };
        const { trunkId, number } = await createOnTrunk(fields);
        await healthy(trunkId, ({ health: { state } }) => state === "up");
        const data = await platform.api.checkSipTrunk(trunkId);
        assert.equal(data.isOk, true, data.message);

        const hangsUp = { sipPort: proxy.port, number, from: "+15550700001" };
        await using first = await TestCaller.call(hangsUp);
        await sleep(300);
        await first.hangUp();
        assert.equal((await endedCall(platform, hangsUp.from)).endReason, "user_hangup");

        const isSilent = { sipPort: proxy.port, number, from: "+15550700002" };
        await using second = await TestCaller.call(isSilent);
        await second.ended(30_000);
        await second.close();
        assert.equal((await endedCall(platform, isSilent.from)).status, "completed");
      } finally {
        await proxy.stop();
      }
    },
  );

  test("a trunk that requires encrypted audio rejects a call without it, and accepts one with it", async (context) => {
    const { number } = await createOnTrunk({ isSrtpRequired: true });
    const { sipPort } = platform;
    await assert.rejects(
      TestCaller.call({ sipPort, number, from: "+15550700003" }),
      /488 No Common Encryption/,
    );
    const caller = await UserAgent.listen({
      bind: { address: "127.0.0.1", port: 0 },
      onInvite: (invite) => invite.reject(486),
    });
    context.after(async () => await caller.close());
    const offer = buildOffer({
      address: "127.0.0.1",
      port: 40_000,
      codecs: [{ name: "PCMU", clockRateHz: 8000, payloadType: 0 }],
      srtp: { keys: new LocalSrtpKeys(), isRequired: true },
    });
    const to = `sip:${number}@127.0.0.1:${sipPort}`;
    const call = await caller.invite({ to, from: "sip:+15550700004@127.0.0.1", sdp: offer });
    assert.ok(call.ok);
    assert.match(call.session.remoteSdp, /RTP\/SAVP[^]*a=crypto:1 /);
  });

  test("a call that a registrar sends to the account is for the number in To", async (context) => {
    const registrar = await TestRegistrar.listen({ accounts: { line7: "secret" } });
    const carrier = await UserAgent.listen({
      bind: { address: "127.0.0.1", port: 0 },
      onInvite: (invite) => invite.reject(486),
    });
    context.after(async () => {
      await carrier.close();
      registrar.close();
    });
    const account = { username: "line7", password: "secret", isRegistrationRequired: true };
    const { trunkId, number } = await createOnTrunk({ proxyAddress: registrar.address, ...account });
    await healthy(trunkId, ({ health: { registration } }) => registration.state === "registered");
    const [contact = ""] = registrar.bindings;
    assert.match(contact, /^<sip:line7@/);
    const result = await carrier.invite({
      to: `sip:${number}@carrier.example`,
      requestUri: contact.slice(1, -1),
      from: "sip:+15550700003@carrier.example",
      sdp: sdp(),
    });
    assert.ok(result.ok, "the call was refused");
    await result.session.bye();
    await platform.stop();
    assert.equal(registrar.bindings.size, 0);
  });
});

test("a stranger who guesses numbers is rejected, and does not lock out others", async () => {
  const platform = await Platform.start();
  const guesser = await UserAgent.listen({
    bind: { address: "127.0.0.1", port: 0 },
    onInvite: (invite) => invite.reject(486),
  });
  try {
    const { number } = await createAgent(platform);
    const call = async (dialed: string) =>
      await guesser.invite({
        to: `sip:${dialed}@127.0.0.1:${platform.sipPort}`,
        from: "sip:100@127.0.0.1",
        sdp: sdp(),
      });
    for (let guess = 0; guess < 60; guess++) {
      const result = await call(`+1555091${1000 + guess}`);
      assert.ok(!result.ok && result.status === 404);
    }
    const ping = await guesser.options({
      to: `sip:127.0.0.1:${platform.sipPort}`,
      from: "sip:100@127.0.0.1",
    });
    assert.ok(ping.ok && ping.status === 200);
    const result = await call(number);
    assert.ok(result.ok, JSON.stringify(result));
    await result.session.bye();
  } finally {
    await guesser.close();
    await platform.stop();
  }
});
