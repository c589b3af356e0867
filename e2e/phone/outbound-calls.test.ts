import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { UserAgent } from "@parley/sip";
import { waitFor } from "@parley/testing";
import { textOf } from "../support/platform/agents.ts";
import { Baresip } from "../support/phone/baresip.ts";
import {
  confirm,
  cue,
  hangUp,
  play,
  receive,
  receiveInvite,
  respond,
  startCarrier,
  wait,
} from "../support/phone/carrier.ts";
import {
  answered,
  assertEnd,
  busy,
  CALLEE,
  GREETING,
  OutboundCalls,
  ringing,
  talk,
} from "../support/phone/outbound-calls.ts";
import { skipWithout } from "../support/phone/peers.ts";
import { Platform } from "../support/platform/platform.ts";
import { sdp } from "../support/phone/raw-sip.ts";
import { readRecording, toPackets, withSilence } from "../support/audio/recordings.ts";
import { assertTalk } from "../support/audio/talk.ts";

describe(
  "calls that the platform places, and that somebody answers",
  { skip: skipWithout("sipp", "baresip") },
  () => {
    let platform: Platform;
    let calls: OutboundCalls;
    let speech: Int16Array;
    before(async () => {
      platform = await Platform.start({ env: { PARLEY_LOCAL_CALLS: "40" } });
      calls = new OutboundCalls(platform);
      speech = withSilence(await readRecording("go-forward.wav"), { beforeMs: 300, afterMs: 1500 });
    });
    after(async () => await platform.stop());

    test("a callee who answers hears the outbound greeting, is understood and answered, and hangs up", async (context) => {
      const carrier = await startCarrier(
        context,
        [receiveInvite(), ringing, ...talk],
        toPackets(speech, "PCMU"),
      );
      const placed = await calls.place(carrier.port);
      await calls.becomes(placed.id, "in_progress");
      const call = await calls.talkWith(carrier, placed.id);
      assertEnd(call, "completed", "user_hangup");
      assertTalk(call, GREETING);
      assert.ok(call.startedAt !== null && call.answeredAt !== null && call.startedAt < call.answeredAt);
      assert.equal(
        call.billableSeconds,
        Math.ceil((Date.parse(call.endedAt ?? "") - Date.parse(call.answeredAt)) / 1000),
      );
      assert.equal(call.quality?.codec, "PCMU");
      await waitFor("its SIP messages", async () => {
        const trace = await platform.api.getCallTrace(call.id);
        return trace.messages.length >= 6;
      });
    });

    test("baresip is called, and the agent talks with the person", async () => {
      const baresip = await Baresip.start({ from: CALLEE, isAnswering: true });
      try {
        const placed = await calls.place(baresip.sipPort);
        await calls.greetingOver(placed.id);
        await baresip.say(speech);
        const call = await calls.hangUpAnswered(placed.id);
        assertEnd(call, "completed", "api_hangup");
        assertTalk(call, GREETING);
      } finally {
        await baresip.close();
      }
    });

    test("a trunk that requires it is offered nothing but encrypted audio", async () => {
      const baresip = await Baresip.start({ from: CALLEE, isAnswering: true, isEncrypted: true });
      try {
        const placed = await calls.place(baresip.sipPort, { trunk: { isSrtpRequired: true } });
        assert.equal(textOf(await calls.greetingOver(placed.id), "agent"), GREETING);
        await calls.hangUp(placed.id);
        const call = await calls.ended(placed.id);
        assertEnd(call, "completed", "api_hangup");
        assert.match(call.quality?.srtpSuite ?? "", /^AES_CM_128_HMAC_SHA1_/);
      } finally {
        await baresip.close();
      }
    });

    test("early media of an encrypted callee is ignored, and speech after the answer is understood", async () => {
      const baresip = await Baresip.start({ from: CALLEE, isAnswering: "early", isEncrypted: true });
      try {
        const placed = await calls.place(baresip.sipPort, { trunk: { isSrtpRequired: true } });
        await calls.becomes(placed.id, "ringing");
        await sleep(2_000);
        await baresip.accept();
        await calls.greetingOver(placed.id);
        await baresip.say(speech);
        const call = await calls.hangUpAnswered(placed.id);
        assertEnd(call, "completed", "api_hangup");
        assertTalk(call, GREETING);
        assert.match(call.quality?.srtpSuite ?? "", /^AES_CM_128_HMAC_SHA1_/);
      } finally {
        await baresip.close();
      }
    });

    test("early media is not taken for the callee, who then hears the whole greeting", async (context) => {
      const early = respond({ status: "183 Session Progress", hasAudio: true });
      const heard = [answered, receive("ACK"), cue(), hangUp()];
      const steps = [receiveInvite(), early, play(), wait(speech.length / 8), ...heard];
      const carrier = await startCarrier(context, steps, toPackets(speech, "PCMU"));
      const { id } = await calls.place(carrier.port);
      await calls.becomes(id, "ringing");
      await calls.greetingOver(id);
      carrier.cue();
      await carrier.done;
      const call = await calls.ended(id);
      assertEnd(call, "completed", "user_hangup");
      assert.equal(textOf(call, "user"), "");
      const [greeting] = call.transcript;
      assert.deepEqual([greeting?.text, greeting?.interrupted ?? false], [GREETING, false]);
      assert.ok((greeting?.startMs ?? Infinity) < 1_000, "at once when it was answered");
    });

    test("of two ringing telephones, the one that answers gets the conversation", async (context) => {
      const early = respond({ status: "183 Session Progress", hasAudio: true, phone: "hall" });
      const steps = [receiveInvite(), early, respond({ status: "180 Ringing", phone: "desk" }), ringing];
      const carrier = await startCarrier(context, [
        ...steps,
        answered,
        receive("ACK"),
        receive("BYE"),
        confirm(),
      ]);
      const { id } = await calls.place(carrier.port);
      assert.equal(textOf(await calls.greetingOver(id), "agent"), GREETING);
      await calls.hangUp(id);
      await carrier.done;
      assertEnd(await calls.ended(id), "completed", "api_hangup");
    });

    test("a trunk that challenges gets the credentials", async (context) => {
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
      const carrier = await startCarrier(context, [...steps, hangUp()]);
      const { id } = await calls.place(carrier.port, { trunk: { username: "line7", password: "secret" } });
      await carrier.done;
      assertEnd(await calls.ended(id), "completed", "user_hangup");
    });

    test("a call whose BYE is not answered has ended", async (context) => {
      const carrier = await startCarrier(context, [
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
      // Long before the BYE's transaction is given up.
      assertEnd(await calls.ended(id), "completed", "api_hangup");
      await calls.nothingIsLeft();
    });

    test("a call keeps its revision if another one is published meanwhile", async (context) => {
      const steps = [receiveInvite(), ringing, ...talk];
      const carrier = await startCarrier(context, steps, toPackets(speech, "PCMU"));
      const { id: agentId } = await calls.createAgent(carrier.port);
      await platform.api.updateAgent(agentId, { publishMode: "manual" });
      const agent = await platform.api.getAgent(agentId);
      const { id } = await calls.placeFrom(agent);
      await calls.becomes(id, "in_progress");
      await platform.api.updateAgent(agentId, {
        firstMessageOutbound: "This was published while you were on the line.",
        promptTemplate:
          "You sell umbrellas.\n\n# Umbrellas\nWe sell umbrellas, go forward ten meters to buy umbrellas.",
      });
      await platform.api.publishAgent(agentId);
      const call = await calls.talkWith(carrier, id);
      assertTalk(call, GREETING);
      assert.doesNotMatch(textOf(call, "agent"), /umbrella/i);
      assert.equal(call.agentRevision, agent.publishedRevision);
      const next = await startCarrier(context, [receiveInvite(), ...busy]);
      await calls.routeTo(agent, next.port);
      const later = await calls.placeFrom(agent);
      await next.done;
      const { agentRevision } = await calls.ended(later.id);
      assert.notEqual(agentRevision, agent.publishedRevision, "the next call runs on what was published");
    });

    test("each of many concurrent calls ends as its callee does, and leaves nothing", async () => {
      const carrier = await UserAgent.listen({
        bind: { address: "127.0.0.1", port: 0 },
        onInvite: (invite) => {
          const number = Number(/\d(?=@)/.exec(invite.requestUri)?.[0]);
          invite.ring();
          if (number % 3 === 0) invite.reject(486);
          if (number % 3 !== 1) return;
          // From a port on which nothing listens.
          void invite.accept({ sdp: sdp() }).then(async (accepted) => {
            await sleep(1_000);
            if (accepted.ok) await accepted.session.bye();
          });
        },
      });
      try {
        const agent = await calls.createAgent(carrier.address.port);
        const numbers = Array.from({ length: 30 }, (_, index) => `+1415555010${index % 10}`);
        const ends = await Promise.all(
          numbers.map(
            async (toNumber) => await calls.untilDialed(agent, { toNumber, ringTimeoutSeconds: 10 }),
          ),
        );
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
