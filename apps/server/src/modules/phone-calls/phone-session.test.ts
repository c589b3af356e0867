import assert from "node:assert/strict";
import { test } from "node:test";
import { LocalSrtpKeys } from "@parley/sip";
import { ringIn, type ScriptedCall, sdp } from "../../../../../packages/sip/src/testing/calls.ts";
import { failingResolver } from "../../../../../packages/sip/src/testing/failing-resolver.ts";
import { assertNothingLeft } from "../../../../../packages/sip/src/testing/rig.ts";
import type { MediaPath } from "../../media/media-protocol.ts";
import type { CallOutcome } from "../active-calls/active-call.ts";
import { createMediaHostResolver } from "./media-hosts.ts";
import { PhoneSession } from "./phone-session.ts";
import { toAudioSettings } from "./sip-audio.ts";

const ADDRESS = "10.0.0.1";

/** An answered call, and its party's dialog as another party names it. */
async function answered() {
  const { call, invite } = await ringIn();
  const ending = new AbortController();
  const outcomes: CallOutcome[] = [];
  const paths: MediaPath[] = [];
  const keys: string[] = [];
  const session = new PhoneSession({
    call: {
      hangUp: (outcome) => void outcomes.push(outcome),
      signal: ending.signal,
      id: "call",
      organizationId: "organization",
    },
    media: { connect: (path) => void paths.push(path), hearKey: (key) => void keys.push(key) },
    settings: toAudioSettings({
      address: ADDRESS,
      port: 5000,
      sampleRateHz: 8000,
      srtp: { keys: new LocalSrtpKeys(), isRequired: false },
      isLoopbackAllowed: false,
    }),
    resolveHosts: createMediaHostResolver(failingResolver, ADDRESS),
    sessions: new WeakMap(),
  });
  session.follow(invite.session);
  const accepting = invite.accept({ sdp: sdp(1) });
  await call.request("ACK", { sequence: 1, branch: "z9hG4bKack" });
  assert.ok((await accepting).ok);
  const { toTag, fromTag } = invite.session.replaces;
  return {
    call,
    session,
    outcomes,
    paths,
    keys,
    ending,
    replaces: `call-1;to-tag=${fromTag};from-tag=${toTag}`,
  };
}

/** An INVITE of another party that replaces the call. */
async function replace(call: ScriptedCall, callId: string, replaces: string, body = sdp(1)) {
  const { rig, invites } = call;
  const headers = ["Require: replaces", `Replaces: ${replaces}`];
  rig.peer.request({ method: "INVITE", branch: `z9hG4bK${callId}`, callId, headers, body });
  await rig.clock.advance(0);
  const invite = invites.at(-1);
  assert.ok(invite !== undefined && invite.callId === callId);
  return invite;
}

function requestFrom(call: ScriptedCall, callId: string) {
  const toTag = call.rig.peer.tagFrom("INVITE");
  return async (method: string, sequence: number, body = ""): Promise<void> => {
    const branch = `z9hG4bK${callId}${method}${sequence}`;
    call.rig.peer.request({ method, branch, callId, toTag, sequence, body });
    await call.rig.clock.advance(0);
  };
}

for (const isOfferOurs of [false, true]) {
  const name = isOfferOurs ? "without an offer" : "with an offer";
  test(`a call goes on with the party that replaces its session, by an INVITE ${name}`, async () => {
    const { call, session, outcomes, paths, keys, replaces } = await answered();
    const theirs = sdp(1).replace("4000", "4400");
    const invite = await replace(call, "second", replaces, isOfferOurs ? "" : theirs);
    const continuing = session.continueWith(invite, ADDRESS);
    await call.rig.clock.advance(0);
    assert.equal(call.rig.peer.last("BYE").callId, "call-1");
    await call.respond("BYE", 200);
    const request = requestFrom(call, "second");
    await request("ACK", 1, isOfferOurs ? theirs : "");
    await continuing;
    assert.deepEqual([paths.at(-1)?.remote.port, outcomes], [4400, []]);
    await request("INVITE", 2, sdp(2, "a=sendonly"));
    await request("ACK", 2);
    assert.deepEqual([paths.at(-1)?.isSending, paths.at(-1)?.isReceiving], [false, true]);
    await request("BYE", 3);
    assert.deepEqual(outcomes, [{ status: "completed", endReason: "user_hangup" }]);
    assert.deepEqual(keys, []);
    await assertNothingLeft(call.rig);
  });
}

test("a party without a codec of ours is rejected, and the call goes on with the former one", async () => {
  const { call, session, outcomes, paths, replaces } = await answered();
  const before = paths.length;
  const invite = await replace(call, "second", replaces, sdp(1).replace("RTP/AVP 0", "RTP/AVP 18"));
  await session.continueWith(invite, ADDRESS);
  await call.rig.clock.advance(0);
  assert.deepEqual([call.lastStatus("INVITE"), paths.length, outcomes], [488, before, []]);
  await call.request("BYE");
  await call.rig.clock.advance(0);
  assert.deepEqual(
    outcomes.map(({ endReason }) => endReason),
    ["user_hangup"],
  );
  await assertNothingLeft(call.rig);
});

test("of two parties that replace the same session one is connected", async () => {
  const { call, session, outcomes, replaces } = await answered();
  const first = await replace(call, "second", replaces);
  const second = await replace(call, "third", replaces);
  const continuing = [session.continueWith(first, ADDRESS), session.continueWith(second, ADDRESS)];
  await call.rig.clock.advance(0);
  assert.deepEqual(
    ["second", "third"].map((callId) => {
      const responses = call.rig.peer.responses("INVITE").filter((response) => response.callId === callId);
      return responses.at(-1)?.status;
    }),
    [200, 603],
  );
  await call.respond("BYE", 200);
  const toTag = call.rig.peer
    .responses("INVITE")
    .find(({ callId, status }) => callId === "second" && status === 200)
    ?.to.parameters.get("tag");
  assert.ok(toTag !== undefined);
  call.rig.peer.request({ method: "ACK", branch: "z9hG4bKackSecond", callId: "second", toTag });
  await call.rig.clock.advance(0);
  await Promise.all(continuing);
  assert.deepEqual(outcomes, []);
  session.bye();
  await call.rig.clock.advance(0);
  await call.respond("BYE", 200);
  await assertNothingLeft(call.rig);
});

test("an INVITE that is canceled meanwhile changes nothing, and one after the end is rejected", async () => {
  const { call, session, outcomes, paths, ending, replaces } = await answered();
  const before = paths.length;
  const invite = await replace(call, "second", replaces);
  call.rig.peer.request({ method: "CANCEL", branch: "z9hG4bKsecond", callId: "second" });
  const continuing = session.continueWith(invite, ADDRESS);
  await call.rig.clock.advance(0);
  await continuing;
  assert.deepEqual([call.lastStatus("INVITE"), paths.length, outcomes], [487, before, []]);
  const late = await replace(call, "third", replaces);
  ending.abort();
  await session.continueWith(late, ADDRESS);
  await call.rig.clock.advance(0);
  assert.equal(call.lastStatus("INVITE"), 603);
  await call.request("BYE");
  await assertNothingLeft(call.rig);
});
