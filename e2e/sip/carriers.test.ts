import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { buildOffer, type IncomingInvite, UserAgent } from "@parley/sip";
import { waitFor } from "@parley/testing";
import { callFrom, greetingOver } from "../support/audio/talk.ts";
import { callsFrom, createAgent, endedCall } from "../support/platform/agents.ts";
import { Platform } from "../support/platform/platform.ts";
import { RawSip, type RawRequest, sdp } from "../support/phone/raw-sip.ts";
import { RtpEar } from "../support/phone/rtp-ear.ts";

const transports = ["UDP", "TCP"] as const;

describe("carriers and PBXs as they are", { concurrency: true }, () => {
  let platform: Platform;
  let number: string;
  let nextCaller = 15_550_610_001;

  before(async () => {
    platform = await Platform.start();
    ({ number } = await createAgent(platform, { firstMessage: "Hello." }));
  });
  after(async () => await platform.stop());

  async function open(transport: "UDP" | "TCP"): Promise<{ raw: RawSip; from: string }> {
    const from = `+${nextCaller++}`;
    return { raw: await RawSip.open({ sipPort: platform.sipPort, number, from, transport }), from };
  }

  /** Sends an INVITE, expects 200 and returns it. The ACK is the caller's. */
  async function invite(raw: RawSip, options: RawRequest): Promise<string> {
    raw.send(raw.request("INVITE", options));
    const response = await raw.response("INVITE", options.sequence);
    assert.equal(RawSip.statusOf(response), 200, response);
    return response;
  }

  async function hangUp(raw: RawSip, sequence: number): Promise<void> {
    raw.send(raw.request("BYE", { sequence }));
    assert.equal(RawSip.statusOf(await raw.response("BYE", sequence)), 200);
  }

  async function toHear(ear: RtpEar): Promise<void> {
    const before = ear.received.length;
    await waitFor("audio", () => ear.received.length > before + 20);
  }

  /** An established call of a raw caller. */
  async function establish(raw: RawSip, options: RawRequest): Promise<string> {
    const response = await invite(raw, options);
    raw.send(raw.request("ACK"));
    return response;
  }

  test("stragglers from the old port do not take the audio back after a re-INVITE to a new one", async () => {
    const { raw, from } = await open("UDP");
    using _raw = raw;
    using first = await RtpEar.open();
    using second = await RtpEar.open();
    first.follow(await establish(raw, { body: sdp({ port: first.port }) }));
    for (let count = 0; count < 10; count++) first.send();
    await toHear(first);
    await invite(raw, { sequence: 2, body: sdp({ port: second.port, version: 2 }) });
    raw.send(raw.request("ACK", { sequence: 2 }));
    // The new party is silent, as one that suppresses silence.
    for (let count = 0; count < 10; count++) {
      first.send();
      const before = second.received.length;
      await waitFor("audio at the new port", () => second.received.length > before + 2);
    }
    await hangUp(raw, 3);
    await endedCall(platform, from);
  });

  for (const user of ["npdi=yes;rn=+15550000000", "tgrp=TG-1;trunk-context=carrier.example", "cic=+10288"]) {
    test(`user parameters (${user}) are no part of the called and the calling number`, async () => {
      const { raw, from } = await open("UDP");
      using _raw = raw;
      await establish(raw, { body: sdp(), user: `${number};${user}`, fromUser: `${from};${user}` });
      await hangUp(raw, 2);
      const call = await endedCall(platform, from);
      assert.deepEqual([call.fromNumber, call.toNumber], [from, number]);
    });
  }

  for (const transport of transports) {
    test(`a PRACK that crosses the answer is answered with 200, over ${transport}`, async () => {
      const { raw, from } = await open(transport);
      using _raw = raw;
      await invite(raw, { body: sdp(), headers: ["Require: 100rel"] });
      const ringing = raw.received.find((message) => message.startsWith("SIP/2.0 180")) ?? "";
      const headers = [`RAck: ${/^RSeq: (\d+)/im.exec(ringing)?.[1]} 1 INVITE`];
      raw.send(raw.request("PRACK", { sequence: 2, headers }));
      assert.equal(RawSip.statusOf(await raw.response("PRACK", 2)), 200);
      raw.send(raw.request("ACK"));
      await hangUp(raw, 3);
      await endedCall(platform, from);
    });
  }

  test("a party that replaces the caller continues the conversation, without another greeting", async () => {
    const { raw, from } = await open("UDP");
    using _raw = raw;
    using first = await RtpEar.open();
    using second = await RtpEar.open();
    first.follow(await establish(raw, { body: sdp({ port: first.port }) }));
    first.send();
    await greetingOver(callFrom(platform, from));
    const other = await open("TCP");
    using _other = other.raw;
    const replaces = `Replaces: ${raw.callId};to-tag=${raw.remoteTag};from-tag=raw`;
    const headers = ["Require: replaces", replaces];
    second.follow(await establish(other.raw, { body: sdp({ port: second.port }), headers }));
    await waitFor("the BYE to the first party", () =>
      raw.received.some((message) => message.startsWith("BYE ")),
    );
    second.send();
    await toHear(second);
    await hangUp(other.raw, 2);
    const call = await endedCall(platform, from);
    assert.deepEqual([call.status, call.endReason], ["completed", "user_hangup"]);
    assert.equal(call.transcript.filter(({ role }) => role === "agent").length, 1);
    assert.deepEqual(await callsFrom(platform, other.from), []);
  });

  test("a party cannot take over our call while it rings, and the call rings on", async (context) => {
    const invites: IncomingInvite[] = [];
    const bind = { address: "127.0.0.1", port: 0 };
    const callee = await UserAgent.listen({ bind, onInvite: (received) => void invites.push(received) });
    context.after(async () => await callee.close({ deadlineMs: 500 }));
    const proxyAddress = `127.0.0.1:${callee.address.port}`;
    const agent = await createAgent(platform, { firstMessage: "Hello." });
    await platform.api.updateSipTrunk(agent.sipTrunkId, { proxyAddress });
    const { id } = await platform.api.createCall({ agentId: agent.agentId, toNumber: "100" });
    const ours = await waitFor("our call", () => invites[0]);
    ours.ring();
    await waitFor("ringing", async () => (await platform.api.getCall(id)).status === "ringing");
    const from = `+${nextCaller++}`;
    const codecs = [{ name: "PCMU", clockRateHz: 8000, payloadType: 0 }];
    const result = await callee.invite({
      to: `sip:${agent.number}@127.0.0.1:${platform.sipPort}`,
      from: `sip:${from}@127.0.0.1`,
      sdp: buildOffer({ address: "127.0.0.1", port: 40_000, codecs }),
      replaces: ours.session.replaces,
    });
    assert.partialDeepStrictEqual(result, { ok: false, status: 603 });
    assert.equal((await platform.api.getCall(id)).status, "ringing");
    assert.deepEqual(await callsFrom(platform, from), []);
    await platform.api.hangUpCall(id);
    assert.equal(
      await waitFor("the end", async () => (await platform.api.getCall(id)).endReason),
      "canceled",
    );
  });

  test("a host name in the connection address is resolved", async () => {
    const { raw, from } = await open("UDP");
    using _raw = raw;
    using ear = await RtpEar.open();
    const offer = sdp({ port: ear.port }).replace("c=IN IP4 127.0.0.1", "c=IN IP4 localhost");
    await establish(raw, { body: offer });
    // It sends nothing, so the address comes from the offer.
    await toHear(ear);
    await hangUp(raw, 2);
    await endedCall(platform, from);
  });

  test("a range of ports in the offer is accepted", async () => {
    const { raw, from } = await open("UDP");
    using _raw = raw;
    using ear = await RtpEar.open();
    const offer = sdp({ port: ear.port }).replace(` ${ear.port} `, ` ${ear.port}/2 `);
    await establish(raw, { body: offer });
    await toHear(ear);
    await hangUp(raw, 2);
    await endedCall(platform, from);
  });

  test("an SRTP key with a master key identifier is accepted, and several keys are refused with the reason", async () => {
    const key = Buffer.alloc(30, 7).toString("base64");
    const secure = (parameters: string): string =>
      `${sdp().replace("RTP/AVP", "RTP/SAVP")}a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${key}${parameters}\r\n`;
    const accepted = await open("UDP");
    using _accepted = accepted.raw;
    assert.match(await establish(accepted.raw, { body: secure("|2^31|1:4") }), /^a=crypto:1 /m);
    await hangUp(accepted.raw, 2);
    const { raw, from } = await open("UDP");
    using _raw = raw;
    raw.send(raw.request("INVITE", { body: secure(`|2^31|1:4;inline:${key}|2^31|2:4`) }));
    assert.match(await raw.response("INVITE"), /^SIP\/2\.0 488 No Usable SRTP Key/);
    raw.send(raw.request("ACK"));
    const call = await endedCall(platform, from);
    assert.deepEqual([call.status, call.endReason], ["failed", "dial_failed"]);
    assert.equal(call.endDetail, "SDP offer rejected: 488 No Usable SRTP Key");
  });

  test("a caller without a supported codec causes no internal error", async () => {
    const { raw, from } = await open("UDP");
    using _raw = raw;
    raw.send(raw.request("INVITE", { body: sdp({ payloads: "18" }) }));
    assert.equal(RawSip.statusOf(await raw.response("INVITE")), 488);
    raw.send(raw.request("ACK"));
    const call = await endedCall(platform, from);
    assert.deepEqual(
      [call.status, call.endReason, call.endDetail],
      ["failed", "dial_failed", "SDP offer rejected: 488 No Common Codec"],
    );
  });

  test("a caller that never acknowledges the answer has not hung up", async () => {
    const { raw, from } = await open("UDP");
    using _raw = raw;
    await invite(raw, { body: sdp() });
    const call = await endedCall(platform, from, 45_000);
    assert.deepEqual(
      [call.status, call.endReason, call.endDetail],
      ["failed", "media_timeout", "no ACK for our answer"],
    );
  });

  for (const transport of transports) {
    test(`a call on hold is resumed and moved by a re-INVITE without an offer, over ${transport}`, async () => {
      const { raw, from } = await open(transport);
      using _raw = raw;
      using first = await RtpEar.open();
      using second = await RtpEar.open();
      await invite(raw, { body: sdp({ port: first.port }) });
      raw.send(raw.request("ACK"));
      await toHear(first);
      const hold = sdp({ port: first.port, direction: "sendonly", version: 2 });
      assert.match(await invite(raw, { sequence: 2, body: hold }), /^a=recvonly\r$/m);
      raw.send(raw.request("ACK", { sequence: 2 }));
      const offered = await invite(raw, { sequence: 3 });
      assert.match(offered, /^m=audio \d+ RTP\/AVP 0 8 9 101\r$/m);
      assert.match(offered, /^a=sendrecv\r$/m);
      const answer = sdp({ port: second.port, payloads: "8", version: 3 });
      raw.send(raw.request("ACK", { sequence: 3, body: answer }));
      await toHear(second);
      assert.ok(second.received.every((payloadType) => payloadType === 8));
      await hangUp(raw, 4);
      const call = await endedCall(platform, from);
      assert.deepEqual([call.status, call.endReason], ["completed", "user_hangup"]);
    });
  }
});
