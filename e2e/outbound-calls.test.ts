import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Agent, Call, CallDetail, CallTrace } from "@parley/contract";
import { UserAgent } from "@parley/sip";
import { wordOverlap } from "../apps/server/src/demo/word-overlap.ts";
import { createAgent, textOf } from "./support/agents.ts";
import { Baresip } from "./support/baresip.ts";
import {
  confirm,
  hangUp,
  play,
  receive,
  receiveInvite,
  respond,
  startCarrier,
  wait,
} from "./support/carrier.ts";
import { sdp } from "./support/raw-sip.ts";
import { skipWithout } from "./support/peers.ts";
import { Platform } from "./support/platform.ts";
import { GO_FORWARD, plainWords, readRecording, toPackets, withSilence } from "./support/recordings.ts";
import { waitFor } from "./support/wait.ts";

interface DataOf<T> {
  data: T;
}

const GREETING = "Hello, this is the railway club calling.";
const TO = "+14155550199";
/** The greeting is over and the callee has waited a little. */
const GREETING_MS = 5_000;
const ANSWER_MS = 8_500;

const trying = respond({ status: "100 Trying" });
const ringing = respond({ status: "180 Ringing" });
const answered = respond({ status: "200 OK", hasAudio: true });
/** What follows a CANCEL that came in time. */
const cancelled = [
  receive("CANCEL"),
  confirm(),
  respond({ status: "487 Request Terminated", inviteSequence: 1 }),
  receive("ACK"),
];

/** An agent whose calls go to this port. */
async function createCallingAgent(
  platform: Platform,
  port: number,
  trunk: object = {},
): Promise<{ agentId: string; number: string }> {
  const created = await createAgent(platform, {
    firstMessage: "Good day, you have called us.",
    firstMessageOutbound: GREETING,
  });
  const { data } = await platform.api<DataOf<Agent>>("GET", `/agents/${created.agentId}`);
  const fields = { proxyAddress: `127.0.0.1:${port}`, ...trunk };
  await platform.api("PATCH", `/sip-trunks/${data.sipTrunkId}`, fields);
  return created;
}

describe("calls that the platform places", { skip: skipWithout("sipp", "baresip") }, () => {
  let platform: Platform;
  let speech: Int16Array;
  before(async () => {
    platform = await Platform.start();
    speech = withSilence(await readRecording("go-forward.wav"), { beforeMs: 300, afterMs: 1500 });
  });
  after(async () => await platform.stop());

  async function place(
    port: number,
    { trunk = {}, ...fields }: { trunk?: object; ringTimeoutSeconds?: number } = {},
  ): Promise<Call> {
    const { agentId } = await createCallingAgent(platform, port, trunk);
    const { data } = await platform.api<DataOf<Call>>("POST", "/calls", { agentId, toNumber: TO, ...fields });
    assert.deepEqual([data.status, data.direction, data.toNumber], ["queued", "outbound", TO]);
    return data;
  }

  async function read(id: string): Promise<CallDetail> {
    return (await platform.api<DataOf<CallDetail>>("GET", `/calls/${id}`)).data;
  }

  async function becomes(id: string, status: Call["status"]): Promise<CallDetail> {
    return await waitFor(`the call to be ${status}`, async () => {
      const call = await read(id);
      return call.status === status && call;
    });
  }

  async function ended(id: string, deadlineMs = 20_000): Promise<CallDetail> {
    return await waitFor(
      "the call's end",
      async () => {
        const call = await read(id);
        return call.endedAt !== null && call;
      },
      deadlineMs,
    );
  }

  async function nothingIsLeft(): Promise<void> {
    await waitFor("no call to be held", async () => (await platform.metric("parley_active_calls")) === 0);
  }

  function assertEnd(call: CallDetail, status: string, endReason: string, detail?: RegExp): void {
    assert.deepEqual([call.status, call.endReason], [status, endReason], call.endDetail ?? "");
    if (detail !== undefined) assert.match(call.endDetail ?? "", detail);
  }

  function assertConversation(call: CallDetail): void {
    const messages = call.transcript.filter(({ type }) => type === "message");
    const roles = messages.map(({ role }) => role);
    assert.deepEqual(roles, ["agent", "user", "agent"], JSON.stringify(call.transcript));
    assert.equal(messages[0]?.text, GREETING);
    assert.equal(wordOverlap(GO_FORWARD, plainWords(textOf(call, "user"))), 1, textOf(call, "user"));
  }

  test("a callee who answers hears the outbound greeting, is understood and answered, and hangs up", async () => {
    const talk = [wait(GREETING_MS), play(), wait(ANSWER_MS), hangUp()];
    // Long enough for the first greeting of a platform that has just started, on a busy machine.
    const steps = [receiveInvite(), ringing, wait(3_000), answered, receive("ACK"), ...talk];
    const carrier = await startCarrier(steps, toPackets(speech, "PCMU"));
    const placed = await place(carrier.port);
    await becomes(placed.id, "in_progress");
    await carrier.done;
    const call = await ended(placed.id);
    assertEnd(call, "completed", "user_hangup");
    assertConversation(call);
    assert.ok(call.startedAt !== null && call.answeredAt !== null && call.startedAt < call.answeredAt);
    assert.equal(
      call.billableSeconds,
      Math.ceil((Date.parse(call.endedAt ?? "") - Date.parse(call.answeredAt)) / 1000),
    );
    assert.equal(call.quality?.codec, "PCMU");
    await waitFor("its SIP messages", async () => {
      const { data: trace } = await platform.api<DataOf<CallTrace>>("GET", `/calls/${call.id}/trace`);
      return trace.messages.length >= 6;
    });
  });

  test("baresip is called, and the agent talks with whoever answers there", async () => {
    const pcm = withSilence(await readRecording("go-forward.wav"), { beforeMs: 6000, afterMs: 60_000 });
    const baresip = await Baresip.start({ from: TO, pcm, isAnswering: true });
    try {
      const placed = await place(baresip.sipPort);
      await waitFor(
        "the agent's answer",
        async () => (await read(placed.id)).transcript.filter(({ role }) => role === "agent").length === 2,
        25_000,
      );
      await platform.api("POST", `/calls/${placed.id}/hangup`);
      const call = await ended(placed.id);
      assertEnd(call, "completed", "api_hangup");
      assertConversation(call);
    } finally {
      await baresip.close();
    }
  });

  test("a trunk that requires it is offered nothing but encrypted audio", async () => {
    const pcm = withSilence(new Int16Array(0), { beforeMs: 60_000, afterMs: 0 });
    const baresip = await Baresip.start({ from: TO, pcm, isAnswering: true, isEncrypted: true });
    try {
      const placed = await place(baresip.sipPort, { trunk: { isSrtpRequired: true } });
      await waitFor("the greeting", async () => textOf(await read(placed.id), "agent") === GREETING);
      await platform.api("POST", `/calls/${placed.id}/hangup`);
      const call = await ended(placed.id);
      assertEnd(call, "completed", "api_hangup");
      assert.match(call.quality?.srtpSuite ?? "", /^AES_CM_128_HMAC_SHA1_/);
    } finally {
      await baresip.close();
    }
  });

  test("what an encrypted callee plays while it rings is no conversation, and what it says after it answered is", async () => {
    const pcm = withSilence(await readRecording("go-forward.wav"), { beforeMs: 9000, afterMs: 60_000 });
    const baresip = await Baresip.start({ from: TO, pcm, isAnswering: "early", isEncrypted: true });
    try {
      const placed = await place(baresip.sipPort, { trunk: { isSrtpRequired: true } });
      await becomes(placed.id, "ringing");
      await sleep(2_000);
      await baresip.accept();
      await waitFor(
        "the agent's answer",
        async () => (await read(placed.id)).transcript.filter(({ role }) => role === "agent").length === 2,
        25_000,
      );
      await platform.api("POST", `/calls/${placed.id}/hangup`);
      const call = await ended(placed.id);
      assertEnd(call, "completed", "api_hangup");
      assertConversation(call);
      assert.match(call.quality?.srtpSuite ?? "", /^AES_CM_128_HMAC_SHA1_/);
    } finally {
      await baresip.close();
    }
  });

  const refusals = [
    ["486 Busy Here", "busy", "dial_busy"],
    ["600 Busy Everywhere", "busy", "dial_busy"],
    ["603 Decline", "failed", "dial_rejected"],
    ["480 Temporarily Unavailable", "no_answer", "dial_no_answer"],
    ["404 Not Found", "failed", "dial_failed"],
  ] as const;
  for (const [refusal, status, endReason] of refusals) {
    test(`${refusal} makes a call ${status}`, async () => {
      const carrier = await startCarrier([
        receiveInvite(),
        ringing,
        respond({ status: refusal }),
        receive("ACK"),
      ]);
      const { id } = await place(carrier.port);
      await carrier.done;
      const call = await ended(id);
      assertEnd(call, status, endReason, new RegExp(`^${refusal}$`));
      assert.deepEqual([call.answeredAt, call.billableSeconds, call.transcript], [null, 0, []]);
    });
  }

  test("a callee who does not answer in time is given up by CANCEL", async () => {
    const carrier = await startCarrier([receiveInvite(), trying, ringing, ...cancelled]);
    const { id } = await place(carrier.port, { ringTimeoutSeconds: 5 });
    await becomes(id, "ringing");
    await carrier.done;
    assertEnd(await ended(id), "no_answer", "dial_no_answer");
  });

  test("a carrier that says 100 and then nothing is given up as well", async () => {
    const carrier = await startCarrier([receiveInvite(), trying, ...cancelled]);
    const { id } = await place(carrier.port, { ringTimeoutSeconds: 5 });
    await carrier.done;
    const call = await ended(id);
    assertEnd(call, "no_answer", "dial_no_answer");
    assert.equal(call.startedAt, null);
  });

  test("a carrier that says nothing at all fails the call once the transaction times out", async () => {
    const socket = createSocket("udp4");
    socket.bind(0, "127.0.0.1");
    await once(socket, "listening");
    try {
      const { id } = await place(socket.address().port);
      assertEnd(await ended(id, 45_000), "failed", "dial_failed", /does not answer/);
    } finally {
      socket.close();
    }
  });

  test("a port where nobody listens fails the call", async () => {
    const socket = createSocket("udp4");
    socket.bind(0, "127.0.0.1");
    await once(socket, "listening");
    const { port } = socket.address();
    socket.close();
    const { id } = await place(port, { trunk: { transport: "tcp" } });
    assertEnd(await ended(id), "failed", "dial_failed", /cannot be reached/);
  });

  test("a redirection is followed to another target of the carrier", async () => {
    const moved = respond({
      status: "302 Moved Temporarily",
      contact: "sip:+14155550198@127.0.0.1:{{port}}",
    });
    const again = receiveInvite({ header: "CSeq", pattern: "2 INVITE" });
    const carrier = await startCarrier([
      receiveInvite(),
      moved,
      receive("ACK"),
      again,
      ringing,
      respond({ status: "486 Busy Here" }),
      receive("ACK"),
    ]);
    const { id } = await place(carrier.port);
    await carrier.done;
    assertEnd(await ended(id), "busy", "dial_busy");
  });

  test("a redirection to where no call may go is not followed", async () => {
    const moved = respond({
      status: "302 Moved Temporarily",
      contact: "sip:+870773111632@127.0.0.1:{{port}}",
    });
    const carrier = await startCarrier([receiveInvite(), moved, receive("ACK")]);
    const { id } = await place(carrier.port);
    await carrier.done;
    assertEnd(await ended(id), "failed", "dial_failed", /^302 /);
  });

  test("what a network plays while it rings is not taken for the callee, who then has the whole greeting", async () => {
    const early = respond({ status: "183 Session Progress", hasAudio: true });
    const steps = [
      receiveInvite(),
      early,
      play(),
      wait(3_500),
      answered,
      receive("ACK"),
      wait(6_000),
      hangUp(),
    ];
    const carrier = await startCarrier(steps, toPackets(speech, "PCMU"));
    const { id } = await place(carrier.port);
    await becomes(id, "ringing");
    await carrier.done;
    const call = await ended(id);
    assertEnd(call, "completed", "user_hangup");
    assert.equal(textOf(call, "user"), "");
    const [greeting] = call.transcript;
    assert.deepEqual([greeting?.text, greeting?.interrupted ?? false], [GREETING, false]);
    assert.ok((greeting?.startMs ?? Infinity) < 1_000, "at once when it was answered");
  });

  test("of two telephones that ring the one that answers is talked with", async () => {
    const early = respond({ status: "183 Session Progress", hasAudio: true, phone: "hall" });
    const steps = [receiveInvite(), early, respond({ status: "180 Ringing", phone: "desk" }), ringing];
    const carrier = await startCarrier([...steps, answered, receive("ACK"), receive("BYE"), confirm()]);
    const { id } = await place(carrier.port);
    await waitFor("the greeting", async () => textOf(await read(id), "agent") === GREETING, 15_000);
    await platform.api("POST", `/calls/${id}/hangup`);
    await carrier.done;
    assertEnd(await ended(id), "completed", "api_hangup");
  });

  test("a trunk that challenges is given its credentials", async () => {
    const challenge = respond({
      status: "407 Proxy Authentication Required",
      headers: ['Proxy-Authenticate: Digest realm="carrier", nonce="5eed", algorithm=MD5, qop="auth"'],
    });
    const authorized = receiveInvite({ header: "Proxy-Authorization", pattern: 'username="line7"' });
    const steps = [receiveInvite(), challenge, receive("ACK"), authorized, ringing, answered, receive("ACK")];
    const carrier = await startCarrier([...steps, wait(500), hangUp()]);
    const { id } = await place(carrier.port, { trunk: { username: "line7", password: "secret" } });
    await carrier.done;
    assertEnd(await ended(id), "completed", "user_hangup");
  });

  test("a call whose BYE nobody answers has ended all the same", async () => {
    const carrier = await startCarrier([receiveInvite(), ringing, answered, receive("ACK"), receive("BYE")]);
    const { id } = await place(carrier.port);
    await becomes(id, "in_progress");
    await platform.api("POST", `/calls/${id}/hangup`);
    await carrier.done;
    assertEnd(await ended(id, 3_000), "completed", "api_hangup");
    await nothingIsLeft();
  });

  test("a call that is hung up while it rings is cancelled", async () => {
    const carrier = await startCarrier([receiveInvite(), ringing, ...cancelled]);
    const { id } = await place(carrier.port);
    await becomes(id, "ringing");
    const { data } = await platform.api<DataOf<Call>>("POST", `/calls/${id}/hangup`);
    assert.equal(data.status, "canceled");
    await carrier.done;
    assertEnd(await ended(id), "canceled", "canceled");
    await assert.rejects(platform.api("POST", `/calls/${id}/hangup`), /409.*call_not_active/);
  });

  test("an answer that crosses the CANCEL is acknowledged and hung up", async () => {
    const late = respond({ status: "200 OK", hasAudio: true, inviteSequence: 1 });
    const steps = [receiveInvite(), ringing, receive("CANCEL"), confirm(), late];
    const carrier = await startCarrier([...steps, receive("ACK"), receive("BYE"), confirm()]);
    const { id } = await place(carrier.port);
    await becomes(id, "ringing");
    await platform.api("POST", `/calls/${id}/hangup`);
    await carrier.done;
    const call = await ended(id);
    assertEnd(call, "canceled", "canceled");
    assert.deepEqual([call.answeredAt, call.transcript], [null, []]);
  });

  test("of many calls at once each ends as its callee does, and nothing is left of them", async () => {
    const carrier = await UserAgent.listen({
      bind: { address: "127.0.0.1", port: 0 },
      onInvite: (invite) => {
        const number = Number(/\d(?=@)/.exec(invite.requestUri)?.[0]);
        invite.ring();
        if (number % 3 === 0) invite.reject(486);
        if (number % 3 !== 1) return;
        // From a port that is heard by nobody.
        void invite.accept({ sdp: sdp() }).then(async (accepted) => {
          await sleep(1_000);
          if (accepted.ok) await accepted.session.bye();
        });
      },
    });
    try {
      const { agentId } = await createCallingAgent(platform, carrier.address.port);
      const numbers = Array.from({ length: 30 }, (_, index) => `+1415555010${index % 10}`);
      const placed = await Promise.all(
        numbers.map(
          async (toNumber) =>
            (
              await platform.api<DataOf<Call>>("POST", "/calls", {
                agentId,
                toNumber,
                ringTimeoutSeconds: 10,
              })
            ).data,
        ),
      );
      const ends = await Promise.all(placed.map(async ({ id }) => await ended(id, 40_000)));
      for (const call of ends) {
        const expected = ["busy", "completed", "no_answer"][Number(call.toNumber?.at(-1)) % 3];
        assert.equal(call.status, expected, `${call.toNumber} ${call.endDetail}`);
      }
      await nothingIsLeft();
      assert.equal(carrier.counts.dialogs, 0);
    } finally {
      await carrier.close();
    }
  });

  test("a call keeps to the revision that it began with, whatever is published during it", async () => {
    const talk = [wait(GREETING_MS), play(), wait(ANSWER_MS), hangUp()];
    const steps = [receiveInvite(), ringing, wait(300), answered, receive("ACK"), ...talk];
    const carrier = await startCarrier(steps, toPackets(speech, "PCMU"));
    const { agentId } = await createCallingAgent(platform, carrier.port);
    await platform.api("PATCH", `/agents/${agentId}`, { publishMode: "manual" });
    const before = (await platform.api<DataOf<Agent>>("GET", `/agents/${agentId}`)).data.publishedRevision;
    const { data: placed } = await platform.api<DataOf<Call>>("POST", "/calls", { agentId, toNumber: TO });
    await becomes(placed.id, "in_progress");
    await platform.api("PATCH", `/agents/${agentId}`, {
      firstMessageOutbound: "This was published while you were on the line.",
      promptTemplate:
        "You sell umbrellas.\n\n# Umbrellas\nWe sell umbrellas, go forward ten meters to buy umbrellas.",
    });
    await platform.api("POST", `/agents/${agentId}/publish`, {});
    await carrier.done;
    const call = await ended(placed.id);
    assertConversation(call);
    assert.doesNotMatch(textOf(call, "agent"), /umbrella/i);
    assert.equal(call.agentRevision, before);
    const next = await startCarrier([receiveInvite(), respond({ status: "486 Busy Here" }), receive("ACK")]);
    const { data: agent } = await platform.api<DataOf<Agent>>("GET", `/agents/${agentId}`);
    await platform.api("PATCH", `/sip-trunks/${agent.sipTrunkId}`, {
      proxyAddress: `127.0.0.1:${next.port}`,
    });
    const { data: later } = await platform.api<DataOf<Call>>("POST", "/calls", { agentId, toNumber: TO });
    await next.done;
    assert.notEqual(
      (await ended(later.id)).agentRevision,
      before,
      "the next call runs on what was published",
    );
  });
});

test(
  "a platform that is shut down cancels the calls that still ring",
  { skip: skipWithout("sipp") },
  async () => {
    const platform = await Platform.start({ env: { PARLEY_SHUTDOWN_SECONDS: "1" } });
    try {
      const carrier = await startCarrier([receiveInvite(), ringing, ...cancelled]);
      const { agentId } = await createCallingAgent(platform, carrier.port);
      const { data } = await platform.api<DataOf<Call>>("POST", "/calls", { agentId, toNumber: TO });
      await waitFor("it to ring", async () => {
        const { data: call } = await platform.api<DataOf<Call>>("GET", `/calls/${data.id}`);
        return call.status === "ringing";
      });
      await Promise.all([platform.stop(), carrier.done]);
    } finally {
      await platform.stop();
    }
  },
);
