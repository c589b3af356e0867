import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Agent, SipTrace } from "@parley/contract";
import { UserAgent } from "@parley/sip";
import { waitFor } from "@parley/testing";
import { textOf } from "./support/agents.ts";
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
import {
  answered,
  assertConversation,
  assertEnd,
  busy,
  CALLEE,
  GREETING,
  OutboundCalls,
  ringing,
} from "./support/outbound-calls.ts";
import { skipWithout } from "./support/peers.ts";
import { Platform } from "./support/platform.ts";
import { sdp } from "./support/raw-sip.ts";
import { readRecording, toPackets, withSilence } from "./support/recordings.ts";

interface DataOf<T> {
  data: T;
}

/** The greeting is over and the callee has waited a little. */
const GREETING_MS = 5_000;
const ANSWER_MS = 8_500;

describe(
  "calls that the platform places, and that somebody answers",
  { skip: skipWithout("sipp", "baresip") },
  () => {
    let platform: Platform;
    let calls: OutboundCalls;
    let speech: Int16Array;
    before(async () => {
      platform = await Platform.start();
      calls = new OutboundCalls(platform);
      speech = withSilence(await readRecording("go-forward.wav"), { beforeMs: 300, afterMs: 1500 });
    });
    after(async () => await platform.stop());

    test("a callee who answers hears the outbound greeting, is understood and answered, and hangs up", async () => {
      const talk = [wait(GREETING_MS), play(), wait(ANSWER_MS), hangUp()];
      // Long enough for the first greeting of a platform that has just started, on a busy machine.
      const steps = [receiveInvite(), ringing, wait(3_000), answered, receive("ACK"), ...talk];
      const carrier = await startCarrier(steps, toPackets(speech, "PCMU"));
      const placed = await calls.place(carrier.port);
      await calls.becomes(placed.id, "in_progress");
      await carrier.done;
      const call = await calls.ended(placed.id);
      assertEnd(call, "completed", "user_hangup");
      assertConversation(call);
      assert.ok(call.startedAt !== null && call.answeredAt !== null && call.startedAt < call.answeredAt);
      assert.equal(
        call.billableSeconds,
        Math.ceil((Date.parse(call.endedAt ?? "") - Date.parse(call.answeredAt)) / 1000),
      );
      assert.equal(call.quality?.codec, "PCMU");
      await waitFor("its SIP messages", async () => {
        const { data: trace } = await platform.api<DataOf<SipTrace>>("GET", `/calls/${call.id}/trace`);
        return trace.messages.length >= 6;
      });
    });

    test("baresip is called, and the agent talks with whoever answers there", async () => {
      const pcm = withSilence(await readRecording("go-forward.wav"), { beforeMs: 6000, afterMs: 60_000 });
      const baresip = await Baresip.start({ from: CALLEE, pcm, isAnswering: true });
      try {
        const placed = await calls.place(baresip.sipPort);
        const call = await calls.hangUpAnswered(placed.id);
        assertEnd(call, "completed", "api_hangup");
        assertConversation(call);
      } finally {
        await baresip.close();
      }
    });

    test("a trunk that requires it is offered nothing but encrypted audio", async () => {
      const pcm = withSilence(new Int16Array(0), { beforeMs: 60_000, afterMs: 0 });
      const baresip = await Baresip.start({ from: CALLEE, pcm, isAnswering: true, isEncrypted: true });
      try {
        const placed = await calls.place(baresip.sipPort, { trunk: { isSrtpRequired: true } });
        await waitFor("the greeting", async () => textOf(await calls.read(placed.id), "agent") === GREETING);
        await calls.hangUp(placed.id);
        const call = await calls.ended(placed.id);
        assertEnd(call, "completed", "api_hangup");
        assert.match(call.quality?.srtpSuite ?? "", /^AES_CM_128_HMAC_SHA1_/);
      } finally {
        await baresip.close();
      }
    });

    test("what an encrypted callee plays while it rings is no conversation, and what it says after it answered is", async () => {
      const pcm = withSilence(await readRecording("go-forward.wav"), { beforeMs: 9000, afterMs: 60_000 });
      const baresip = await Baresip.start({ from: CALLEE, pcm, isAnswering: "early", isEncrypted: true });
      try {
        const placed = await calls.place(baresip.sipPort, { trunk: { isSrtpRequired: true } });
        await calls.becomes(placed.id, "ringing");
        await sleep(2_000);
        await baresip.accept();
        const call = await calls.hangUpAnswered(placed.id);
        assertEnd(call, "completed", "api_hangup");
        assertConversation(call);
        assert.match(call.quality?.srtpSuite ?? "", /^AES_CM_128_HMAC_SHA1_/);
      } finally {
        await baresip.close();
      }
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
      const { id } = await calls.place(carrier.port);
      await calls.becomes(id, "ringing");
      await carrier.done;
      const call = await calls.ended(id);
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
      const { id } = await calls.place(carrier.port);
      await waitFor("the greeting", async () => textOf(await calls.read(id), "agent") === GREETING, 15_000);
      await calls.hangUp(id);
      await carrier.done;
      assertEnd(await calls.ended(id), "completed", "api_hangup");
    });

    test("a trunk that challenges is given its credentials", async () => {
      const challenge = respond({
        status: "407 Proxy Authentication Required",
        headers: ['Proxy-Authenticate: Digest realm="carrier", nonce="5eed", algorithm=MD5, qop="auth"'],
      });
      const authorized = receiveInvite({ header: "Proxy-Authorization", pattern: 'username="line7"' });
      const steps = [
        receiveInvite(),
        challenge,
        receive("ACK"),
        authorized,
        ringing,
        answered,
        receive("ACK"),
      ];
      const carrier = await startCarrier([...steps, wait(500), hangUp()]);
      const { id } = await calls.place(carrier.port, { trunk: { username: "line7", password: "secret" } });
      await carrier.done;
      assertEnd(await calls.ended(id), "completed", "user_hangup");
    });

    test("a call whose BYE nobody answers has ended all the same", async () => {
      const carrier = await startCarrier([
        receiveInvite(),
        ringing,
        answered,
        receive("ACK"),
        receive("BYE"),
      ]);
      const { id } = await calls.place(carrier.port);
      await calls.becomes(id, "in_progress");
      await calls.hangUp(id);
      await carrier.done;
      assertEnd(await calls.ended(id, 3_000), "completed", "api_hangup");
      await calls.nothingIsLeft();
    });

    test("a call keeps to the revision that it began with, whatever is published during it", async () => {
      const talk = [wait(GREETING_MS), play(), wait(ANSWER_MS), hangUp()];
      const steps = [receiveInvite(), ringing, wait(300), answered, receive("ACK"), ...talk];
      const carrier = await startCarrier(steps, toPackets(speech, "PCMU"));
      const { id: agentId } = await calls.createAgent(carrier.port);
      await platform.api("PATCH", `/agents/${agentId}`, { publishMode: "manual" });
      const { data: agent } = await platform.api<DataOf<Agent>>("GET", `/agents/${agentId}`);
      const { id } = await calls.placeFrom(agent);
      await calls.becomes(id, "in_progress");
      await platform.api("PATCH", `/agents/${agentId}`, {
        firstMessageOutbound: "This was published while you were on the line.",
        promptTemplate:
          "You sell umbrellas.\n\n# Umbrellas\nWe sell umbrellas, go forward ten meters to buy umbrellas.",
      });
      await platform.api("POST", `/agents/${agentId}/publish`, {});
      await carrier.done;
      const call = await calls.ended(id);
      assertConversation(call);
      assert.doesNotMatch(textOf(call, "agent"), /umbrella/i);
      assert.equal(call.agentRevision, agent.publishedRevision);
      const next = await startCarrier([receiveInvite(), ...busy]);
      await calls.routeTo(agent, next.port);
      const later = await calls.placeFrom(agent);
      await next.done;
      const { agentRevision } = await calls.ended(later.id);
      assert.notEqual(agentRevision, agent.publishedRevision, "the next call runs on what was published");
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
        const agent = await calls.createAgent(carrier.address.port);
        const numbers = Array.from({ length: 30 }, (_, index) => `+1415555010${index % 10}`);
        const placed = await Promise.all(
          numbers.map(async (toNumber) => await calls.placeFrom(agent, { toNumber, ringTimeoutSeconds: 10 })),
        );
        const ends = await Promise.all(placed.map(async ({ id }) => await calls.ended(id, 40_000)));
        for (const call of ends) {
          const expected = ["busy", "completed", "no_answer"][Number(call.toNumber?.at(-1)) % 3];
          assert.equal(call.status, expected, `${call.toNumber} ${call.endDetail}`);
        }
        await calls.nothingIsLeft();
        assert.equal(carrier.counts.dialogs, 0);
      } finally {
        await carrier.close();
      }
    });
  },
);
