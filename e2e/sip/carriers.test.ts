import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { waitFor } from "@parley/testing";
import { createAgent, endedCall } from "../support/platform/agents.ts";
import { Platform } from "../support/platform/platform.ts";
import { RawSip, type RawRequest, sdp } from "../support/phone/raw-sip.ts";
import { RtpEar } from "../support/phone/rtp-ear.ts";

const transports = ["UDP", "TCP"] as const;

describe("carriers and PBXs as they are", () => {
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
