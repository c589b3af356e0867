import assert from "node:assert/strict";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { after, before, describe, test } from "node:test";
import { confirm, receive, receiveInvite, respond, startCarrier } from "../support/phone/carrier.ts";
import {
  assertEnd,
  busy,
  canceled,
  OutboundCalls,
  ringing,
  trying,
} from "../support/phone/outbound-calls.ts";
import { skipWithout } from "../support/phone/peers.ts";
import { Platform } from "../support/platform/platform.ts";

async function bindSocket(): Promise<Socket> {
  const socket = createSocket("udp4").bind(0, "127.0.0.1");
  await once(socket, "listening");
  return socket;
}

describe("outbound calls without an answer", { skip: skipWithout("sipp"), concurrency: true }, () => {
  let platform: Platform;
  let calls: OutboundCalls;
  before(async () => {
    platform = await Platform.start();
    calls = new OutboundCalls(platform);
  });
  after(async () => await platform.stop());

  const refusals = [
    ["486 Busy Here", "busy", "dial_busy"],
    ["600 Busy Everywhere", "busy", "dial_busy"],
    ["603 Decline", "failed", "dial_rejected"],
    ["480 Temporarily Unavailable", "no_answer", "dial_no_answer"],
    ["404 Not Found", "failed", "dial_failed"],
  ] as const;
  for (const [refusal, status, endReason] of refusals) {
    test(`${refusal} makes a call ${status}`, async (context) => {
      const carrier = await startCarrier(context, [
        receiveInvite(),
        ringing,
        respond({ status: refusal }),
        receive("ACK"),
      ]);
      const { id } = await calls.place(carrier.port);
      await carrier.done;
      const call = await calls.ended(id);
      assertEnd(call, status, endReason, new RegExp(`^${refusal}$`));
      assert.deepEqual([call.answeredAt, call.billableSeconds, call.transcript], [null, 0, []]);
    });
  }

  test("a callee who does not answer in time gets CANCEL", async (context) => {
    const carrier = await startCarrier(context, [receiveInvite(), trying, ringing, ...canceled]);
    const { id } = await calls.place(carrier.port, { ringTimeoutSeconds: 5 });
    await calls.becomes(id, "ringing");
    await carrier.done;
    assertEnd(await calls.ended(id), "no_answer", "dial_no_answer");
  });

  test("a carrier that sends only 100 gets CANCEL as well", async (context) => {
    const carrier = await startCarrier(context, [receiveInvite(), trying, ...canceled]);
    const { id } = await calls.place(carrier.port, { ringTimeoutSeconds: 5 });
    await carrier.done;
    const call = await calls.ended(id);
    assertEnd(call, "no_answer", "dial_no_answer");
    assert.equal(call.startedAt, null);
  });

  test("a carrier without any response fails the call once the transaction times out", async () => {
    const socket = await bindSocket();
    try {
      const { id } = await calls.place(socket.address().port);
      assertEnd(await calls.ended(id, 45_000), "failed", "dial_failed", /does not answer/);
    } finally {
      socket.close();
    }
  });

  test("a closed port fails the call", async () => {
    const socket = await bindSocket();
    const { port } = socket.address();
    socket.close();
    const { id } = await calls.place(port, { trunk: { transport: "tcp" } });
    assertEnd(await calls.ended(id), "failed", "dial_failed", /cannot be reached/);
  });

  test("a redirection is followed to another target of the carrier", async (context) => {
    const moved = respond({
      status: "302 Moved Temporarily",
      contact: "sip:+14155550198@127.0.0.1:{{port}}",
    });
    const again = receiveInvite({ header: "CSeq", pattern: "2 INVITE" });
    const carrier = await startCarrier(context, [
      receiveInvite(),
      moved,
      receive("ACK"),
      again,
      ringing,
      ...busy,
    ]);
    const { id } = await calls.place(carrier.port);
    await carrier.done;
    assertEnd(await calls.ended(id), "busy", "dial_busy");
  });

  test("a redirection to a forbidden destination is not followed", async (context) => {
    const moved = respond({
      status: "302 Moved Temporarily",
      contact: "sip:+870773111632@127.0.0.1:{{port}}",
    });
    const carrier = await startCarrier(context, [receiveInvite(), moved, receive("ACK")]);
    const { id } = await calls.place(carrier.port);
    await carrier.done;
    assertEnd(await calls.ended(id), "failed", "dial_failed", /^302 /);
  });

  test("a call that is hung up while it rings is canceled", async (context) => {
    const carrier = await startCarrier(context, [receiveInvite(), ringing, ...canceled]);
    const { id } = await calls.place(carrier.port);
    await calls.becomes(id, "ringing");
    assert.equal((await calls.hangUp(id)).status, "canceled");
    await carrier.done;
    assertEnd(await calls.ended(id), "canceled", "canceled");
    await assert.rejects(calls.hangUp(id), { status: 409, code: "call_not_active" });
  });

  test("an answer that crosses the CANCEL is acknowledged and hung up", async (context) => {
    const late = respond({ status: "200 OK", hasAudio: true, inviteSequence: 1 });
    const steps = [receiveInvite(), ringing, receive("CANCEL"), confirm(), late];
    const carrier = await startCarrier(context, [...steps, receive("ACK"), receive("BYE"), confirm()]);
    const { id } = await calls.place(carrier.port);
    await calls.becomes(id, "ringing");
    await calls.hangUp(id);
    await carrier.done;
    const call = await calls.ended(id);
    assertEnd(call, "canceled", "canceled");
    assert.deepEqual([call.answeredAt, call.transcript], [null, []]);
  });
});

test(
  "a platform that is shut down cancels the calls that still ring",
  { skip: skipWithout("sipp") },
  async (context) => {
    const platform = await Platform.start({ env: { PARLEY_SHUTDOWN_SECONDS: "1" } });
    try {
      const calls = new OutboundCalls(platform);
      const carrier = await startCarrier(context, [receiveInvite(), ringing, ...canceled]);
      const { id } = await calls.place(carrier.port);
      await calls.becomes(id, "ringing");
      await Promise.all([platform.stop(), carrier.done]);
    } finally {
      await platform.stop();
    }
  },
);
