import assert from "node:assert/strict";
import { test } from "node:test";
import { callIn, callOut, sdp, type ScriptedCall } from "../../testing/calls.ts";
import { assertNothingLeft, hangUp } from "../../testing/rig.ts";
import type { OfferResult } from "./outgoing-offers.ts";

async function end(call: ScriptedCall): Promise<void> {
  await hangUp(call.rig, call.established);
  await assertNothingLeft(call.rig);
}

test("hold and resume are re-INVITEs with directions and versions of RFC 3264", async () => {
  const call = await callOut();
  const session = call.established;
  const holding = session.hold();
  await call.rig.clock.advance(0);
  const hold = await call.respond("INVITE", 200, [], sdp(2, "a=recvonly"));
  assert.equal(hold.body.toString(), sdp(2, "a=sendonly"));
  assert.deepEqual(await holding, { ok: true, answer: sdp(2, "a=recvonly") });
  assert.deepEqual(
    [session.isHolding, session.isHeld, session.localSdp],
    [true, false, sdp(2, "a=sendonly")],
  );
  assert.equal(call.rig.peer.last("ACK").cseq.sequence, hold.cseq.sequence);
  // Already on hold: no request is needed.
  assert.equal((await session.hold()).ok, true);
  assert.equal(call.rig.peer.requests("INVITE").length, 2);
  const resuming = session.resume();
  await call.rig.clock.advance(0);
  const resume = await call.respond("INVITE", 200, [], sdp(3));
  assert.equal(resume.body.toString(), sdp(3));
  assert.equal((await resuming).ok, true);
  assert.equal(session.isHolding, false);
  await end(call);
});

test("a rejected hold does not change the session", async () => {
  const call = await callOut();
  const holding = call.established.hold();
  await call.rig.clock.advance(0);
  await call.respond("INVITE", 488);
  assert.deepEqual(await holding, { ok: false, cause: "rejected", status: 488, reason: "Scripted" });
  assert.deepEqual([call.established.isHolding, call.established.localSdp], [false, sdp(1)]);
  await end(call);
});

test("later answers do not use a rejected description", async () => {
  const call = await callOut();
  const offering = call.established.offer(sdp(2, "a=ptime:60"));
  await call.rig.clock.advance(0);
  await call.respond("INVITE", 488);
  assert.equal((await offering).ok, false);
  await call.request("INVITE", { body: sdp(2) });
  assert.equal(call.rig.peer.responses("INVITE").at(-1)?.body.toString(), sdp(3));
  await call.ack();
  await end(call);
});

test("a call that ends during a change leaves no timer", async () => {
  const call = await callOut(["Session-Expires: 1800;refresher=uas"]);
  const offering = call.established.offer(sdp(2));
  await call.rig.clock.advance(0);
  await call.request("BYE");
  await call.respond("INVITE", 200, ["Session-Expires: 1800;refresher=uas"], sdp(2));
  assert.equal((await offering).ok, false);
  await assertNothingLeft(call.rig);
});

test("the peer's hold, by attribute or zero address, is detected and answered with the matching direction", async () => {
  const call = await callIn();
  for (const [offer, answered] of [
    [sdp(2, "a=sendonly"), "recvonly"],
    [sdp(3, "a=inactive"), "inactive"],
    [sdp(4, "c=IN IP4 0.0.0.0"), "recvonly"],
  ] as const) {
    await call.request("INVITE", { body: offer });
    assert.equal(call.established.isHeld, true);
    assert.match(call.established.localSdp, new RegExp(`a=${answered}\r\n`));
    await call.ack();
  }
  await call.request("INVITE", { body: sdp(5) });
  await call.ack();
  assert.deepEqual([call.established.isHeld, call.rig.peer.statuses("INVITE").at(-1)], [false, 200]);
  await end(call);
});

test("a peer that held us is offered everything again when it requests an offer", async () => {
  const call = await callIn();
  const session = call.established;
  const answers: string[] = [];
  session.onReinvite = () => ({ sdp: sdp(1, "a=recvonly") });
  session.onOfferNeeded = () => sdp(1, "a=sendrecv");
  session.onRemoteAnswer = (answer) => answers.push(answer);
  await call.request("INVITE", { body: sdp(2, "a=sendonly") });
  await call.ack();
  await call.request("INVITE");
  assert.match(call.rig.peer.responses("INVITE").at(-1)?.body.toString() ?? "", /a=sendrecv/);
  await call.ack(sdp(3));
  assert.deepEqual([answers, session.remoteSdp, session.isHeld], [[sdp(3)], sdp(3), false]);
  // Without a handler's description, the last one of the application is offered.
  session.onOfferNeeded = undefined;
  await call.request("INVITE");
  assert.match(call.rig.peer.responses("INVITE").at(-1)?.body.toString() ?? "", /a=sendrecv/);
  await call.ack(sdp(4));
  assert.equal(answers.length, 2);
  await end(call);
});

test("a re-INVITE is taken that arrives together with the ACK of the last one", async () => {
  const call = await callIn();
  for (const version of [2, 3, 4]) {
    await call.request("INVITE", { body: sdp(version) });
    const acknowledging = call.ack();
    await call.request("INVITE", { body: sdp(version + 10) });
    await acknowledging;
    assert.equal(call.lastStatus("INVITE"), 200);
    await call.ack();
  }
  await end(call);
});

test("an ACK without the requested answer does not change the session", async () => {
  const call = await callIn();
  const session = call.established;
  session.onRemoteAnswer = () => assert.fail("there was no answer");
  const before = [session.localSdp, session.remoteSdp];
  await call.request("INVITE");
  await call.ack();
  assert.deepEqual([session.localSdp, session.remoteSdp], before);
  await call.request("INVITE", { body: sdp(2) });
  assert.equal(call.lastStatus("INVITE"), 200);
  await call.ack();
  await end(call);
});

test("a refresh offers the description in effect, and its answer reaches the application", async () => {
  const call = await callOut(["Session-Expires: 200;refresher=uac"]);
  const answers: string[] = [];
  call.established.onRemoteAnswer = (answer) => answers.push(answer);
  await call.request("INVITE", { body: sdp(2, "a=sendonly") });
  await call.ack();
  const { localSdp } = call.established;
  await call.rig.clock.advance(900_000);
  const refresh = await call.respond(
    "INVITE",
    200,
    ["Session-Expires: 200;refresher=uac"],
    sdp(3, "a=sendonly"),
  );
  assert.equal(refresh.body.toString(), localSdp);
  assert.match(localSdp, /a=recvonly/);
  assert.deepEqual(answers, [sdp(3, "a=sendonly")]);
  await end(call);
});

test("the peer's offer does not end our hold", async () => {
  const call = await callIn();
  const holding = call.established.hold();
  await call.rig.clock.advance(0);
  await call.respond("INVITE", 200, [], sdp(2, "a=recvonly"));
  await holding;
  call.established.onReinvite = () => ({ sdp: sdp(9) });
  await call.request("INVITE", { body: sdp(3) });
  assert.match(call.rig.peer.responses("INVITE").at(-1)?.body.toString() ?? "", /o=- 42 2 .*a=sendonly/s);
  await call.ack();
  await end(call);
});

test("an UPDATE is answered with a description only if it has one, and refreshes the target", async () => {
  const call = await callIn();
  await call.request("UPDATE");
  const bare = call.rig.peer.responses("UPDATE").at(-1);
  assert.deepEqual([bare?.status, bare?.body.length], [200, 0]);
  call.established.onReinvite = (offer) => ({ sdp: offer.replace("4000", "5000") });
  await call.request("UPDATE", { body: sdp(2, "a=sendonly") });
  const answered = call.rig.peer.responses("UPDATE").at(-1);
  assert.deepEqual([answered?.status, call.established.isHeld], [200, true]);
  assert.match(answered?.body.toString() ?? "", /m=audio 5000/);
  await end(call);
});

test("an UPDATE without a decision in time gets 504", async () => {
  const call = await callIn();
  call.established.onReinvite = () => new Promise(() => undefined);
  await call.request("UPDATE", { body: sdp(2) });
  await call.request("UPDATE", { body: sdp(2) });
  assert.equal(call.lastStatus("UPDATE"), 500);
  await call.rig.clock.advance(8_000);
  assert.equal(call.lastStatus("UPDATE"), 504);
  assert.equal(call.established.remoteSdp, sdp(1));
  await end(call);
});

test("offers that cross get 491 from both sides (RFC 3261 §14.2)", async () => {
  const call = await callOut();
  const offering = call.established.offer(sdp(2));
  await call.rig.clock.advance(0);
  await call.request("INVITE", { body: sdp(2) });
  assert.equal(call.lastStatus("INVITE"), 491);
  await call.request("UPDATE", { body: sdp(2) });
  assert.equal(call.lastStatus("UPDATE"), 491);
  await call.respond("INVITE", 200, [], sdp(2));
  assert.equal((await offering).ok, true);
  await end(call);
});

async function retryDelayMs(call: ScriptedCall): Promise<number> {
  const { clock, peer } = call.rig;
  const before = peer.requests("INVITE").length;
  const offering = call.established.offer(sdp(2));
  await clock.advance(0);
  await call.respond("INVITE", 491);
  const since = clock.nowMs();
  while (peer.requests("INVITE").length < before + 2) await clock.advance(10);
  const delayMs = clock.nowMs() - since;
  await call.respond("INVITE", 200, [], sdp(2));
  assert.equal((await offering).ok, true);
  return delayMs;
}

test("after a 491 the owner of the Call-ID waits 2.1 to 4 s, the other side 0 to 2 s (§14.1)", async () => {
  const [ours, theirs] = [await callOut(), await callIn()];
  assert.equal(await retryDelayMs(ours), 3050);
  assert.equal(await retryDelayMs(theirs), 1000);
  await end(ours);
  await end(theirs);
});

test("requests to a peer that is always busy stop", async () => {
  const call = await callOut();
  let result: OfferResult | undefined;
  const offering = call.established.offer(sdp(2)).then((settled) => (result = settled));
  for (let attempt = 0; attempt < 6; attempt++) {
    await call.rig.clock.advance(4000);
    await call.respond("INVITE", 491);
  }
  await call.rig.clock.advance(4000);
  await offering;
  assert.ok(result?.ok === false && result.status === 491);
  const sequences = new Set(call.rig.peer.requests("INVITE").map(({ cseq }) => cseq.sequence));
  assert.equal(sequences.size, 7);
  await end(call);
});

test("a Retry-After of a few seconds is respected", async () => {
  const call = await callOut();
  const offering = call.established.offer(sdp(2));
  await call.rig.clock.advance(0);
  await call.respond("INVITE", 500, ["Retry-After: 7"]);
  await call.rig.clock.advance(6_900);
  assert.equal(call.rig.peer.requests("INVITE").length, 2);
  await call.rig.clock.advance(200);
  await call.respond("INVITE", 200, [], sdp(2));
  assert.equal((await offering).ok, true);
  await end(call);
});

test("parallel changes are sent one after another", async () => {
  const call = await callOut();
  const changes = [call.established.hold(), call.established.resume()];
  await call.rig.clock.advance(0);
  assert.equal(call.rig.peer.requests("INVITE").length, 2);
  await call.respond("INVITE", 200, [], sdp(2, "a=recvonly"));
  assert.equal(call.rig.peer.requests("INVITE").length, 3);
  await call.respond("INVITE", 200, [], sdp(3));
  assert.deepEqual(
    (await Promise.all(changes)).map(({ ok }) => ok),
    [true, true],
  );
  await end(call);
});

for (const status of [408, 481]) {
  test(`a ${status} to a re-INVITE ends the call (§12.2.1.2)`, async () => {
    const call = await callOut();
    const offering = call.established.offer(sdp(2));
    await call.rig.clock.advance(0);
    await call.respond("INVITE", status);
    assert.equal((await offering).ok, false);
    await call.rig.clock.advance(1_000);
    assert.equal((await call.established.ended).cause, "lost");
    await call.respond("BYE", 481);
    await assertNothingLeft(call.rig);
  });
}

test("a re-INVITE that rings without end is canceled after 32 s", async () => {
  const call = await callOut();
  const offering = call.established.offer(sdp(2));
  await call.rig.clock.advance(0);
  await call.respond("INVITE", 180);
  await call.rig.clock.advance(32_000);
  await call.respond("CANCEL", 200);
  await call.respond("INVITE", 487);
  assert.deepEqual(await offering, { ok: false, cause: "rejected", status: 487, reason: "Scripted" });
  assert.equal(call.established.isEnded, false);
  await end(call);
});

test("a change that is pending when the call ends has the cause ended", async () => {
  const call = await callOut();
  const changes = [call.established.offer(sdp(2)), call.established.offer(sdp(3))];
  await call.rig.clock.advance(0);
  await call.request("BYE");
  await call.respond("INVITE", 487);
  const [first, second] = await Promise.all(changes);
  assert.ok(first !== undefined && !first.ok && second !== undefined && !second.ok);
  assert.equal(second.cause, "ended");
  assert.equal((await call.established.offer(sdp(4))).ok, false);
  await assertNothingLeft(call.rig);
});

test("unknown methods and extensions inside a call are rejected by name", async () => {
  const call = await callIn();
  await call.request("SUBSCRIBE");
  await call.request("DANCE");
  await call.request("OPTIONS");
  await call.request("INFO", { headers: ["Require: telepathy"] });
  assert.deepEqual(
    ["SUBSCRIBE", "DANCE", "OPTIONS", "INFO"].map((method) => call.lastStatus(method)),
    [405, 501, 200, 420],
  );
  await end(call);
});

test("our OPTIONS inside the call reports whether the peer still has it", async () => {
  const call = await callIn();
  const asking = call.established.options();
  await call.rig.clock.advance(0);
  await call.respond("OPTIONS", 200);
  assert.equal((await asking).ok, true);
  const again = call.established.options();
  await call.rig.clock.advance(0);
  await call.respond("OPTIONS", 481);
  assert.equal((await again).ok, false);
  await call.rig.clock.advance(1_000);
  assert.equal((await call.established.ended).cause, "lost");
  await assertNothingLeft(call.rig);
});

test("a BYE that our request has crossed ends the call as the peer's, although its 481 came first", async () => {
  const call = await callIn();
  const asking = call.established.options();
  await call.rig.clock.advance(0);
  await call.respond("OPTIONS", 481);
  assert.equal((await asking).ok, false);
  await call.rig.clock.advance(400);
  await call.request("BYE");
  assert.equal((await call.established.ended).cause, "remote_bye");
  await call.rig.clock.advance(1_000);
  assert.equal(call.rig.peer.requests("BYE").length, 0);
  await assertNothingLeft(call.rig);
});
