import assert from "node:assert/strict";
import { test } from "node:test";
import { ringIn, ringOut, type ScriptedCall, sdp } from "../../testing/calls.ts";
import { assertNothingLeft, hangUp } from "../../testing/rig.ts";
import type { SipResponse } from "../../messages/message.ts";

const capable = ["Supported: 100rel"];

function lastResponse(call: ScriptedCall): SipResponse {
  const response = call.rig.peer.responses("INVITE").at(-1);
  assert.ok(response !== undefined);
  return response;
}

function rack(response: SipResponse): string {
  return `RAck: ${response.headers.get("rseq")} ${response.cseq.sequence} INVITE`;
}

test("early media is sent reliably if the caller supports it, and the 200 has no second answer", async () => {
  const { call, invite } = await ringIn(capable);
  assert.equal(lastResponse(call).headers.has("rseq"), false);
  invite.ring(183, { sdp: sdp(1) });
  await call.rig.clock.advance(0);
  const early = lastResponse(call);
  assert.deepEqual(
    [early.status, early.headers.get("require"), early.body.toString()],
    [183, "100rel", sdp(1)],
  );
  // Repeated after 0.5, 1 and 2 s.
  await call.rig.clock.advance(3_600);
  assert.equal(call.rig.peer.statuses("INVITE").filter((status) => status === 183).length, 4);
  const accepting = invite.accept({ sdp: sdp(1) });
  await call.rig.clock.advance(0);
  // RFC 3262 §3: no 2xx while the description is not acknowledged.
  assert.equal(lastResponse(call).status, 183);
  await call.request("PRACK", { headers: [rack(early)] });
  assert.equal(call.lastStatus("PRACK"), 200);
  assert.deepEqual([lastResponse(call).status, lastResponse(call).body.length], [200, 0]);
  await call.request("ACK", { sequence: 1, branch: "z9hG4bKack" });
  const result = await accepting;
  assert.ok(result.ok);
  assert.deepEqual([result.session.localSdp, result.session.remoteSdp], [sdp(1), sdp(1)]);
  await hangUp(call.rig, result.session);
  await assertNothingLeft(call.rig);
});

test("a caller that requires it gets every provisional response reliably, one at a time and numbered", async () => {
  const { call, invite } = await ringIn(["Require: 100rel"]);
  const first = lastResponse(call);
  assert.equal(first.headers.get("require"), "100rel");
  invite.ring(182);
  await call.rig.clock.advance(0);
  assert.equal(lastResponse(call).status, 180);
  await call.request("PRACK", { headers: [rack(first)] });
  const second = lastResponse(call);
  assert.equal(second.status, 182);
  assert.equal(Number(second.headers.get("rseq")), Number(first.headers.get("rseq")) + 1);
  // A PRACK for an acknowledged response matches nothing.
  await call.request("PRACK", { headers: [rack(first)] });
  assert.equal(call.lastStatus("PRACK"), 481);
  invite.reject(486);
  await assertNothingLeft(call.rig);
});

test("a PRACK that crosses our 200 is answered with 200 (RFC 3262 §3)", async () => {
  const { call, invite } = await ringIn(["Require: 100rel"]);
  const ringing = lastResponse(call);
  const accepting = invite.accept({ sdp: sdp(1) });
  await call.rig.clock.advance(0);
  assert.equal(lastResponse(call).status, 200);
  await call.request("PRACK", { headers: ["RAck: 7 1 INVITE"] });
  assert.equal(call.lastStatus("PRACK"), 481);
  await call.request("PRACK", { headers: [rack(ringing)] });
  assert.equal(call.lastStatus("PRACK"), 200);
  await call.request("PRACK", { headers: [rack(ringing)] });
  assert.equal(call.lastStatus("PRACK"), 481);
  await call.request("ACK", { sequence: 1, branch: "z9hG4bKack" });
  const result = await accepting;
  assert.ok(result.ok);
  await hangUp(call.rig, result.session);
  await assertNothingLeft(call.rig);
});

test("without a PRACK the call is rejected after 32 s", async () => {
  const { call, invite } = await ringIn(["Require: 100rel"]);
  await call.rig.clock.advance(32_000);
  assert.equal(lastResponse(call).status, 504);
  assert.equal(invite.signal.reason, "no_ack");
  await assertNothingLeft(call.rig);
});

test("a call canceled during the wait for a PRACK is not answered", async () => {
  const { call, invite } = await ringIn(["Require: 100rel"]);
  invite.ring(183, { sdp: sdp(1) });
  const accepting = invite.accept({ sdp: sdp(1) });
  call.rig.peer.request({ method: "CANCEL" });
  await call.rig.clock.advance(0);
  assert.deepEqual(await accepting, { ok: false, reason: "canceled" });
  assert.equal(lastResponse(call).status, 487);
  await assertNothingLeft(call.rig);
});

test("our offer is sent in the reliable response, and the PRACK contains the answer", async () => {
  const { call, invite } = await ringIn(capable, "");
  invite.ring(183, { sdp: sdp(1) });
  await call.rig.clock.advance(0);
  const early = lastResponse(call);
  assert.equal(early.body.toString(), sdp(1));
  await call.request("PRACK", { headers: [rack(early)], body: sdp(7) });
  const accepting = invite.accept({ sdp: sdp(1) });
  await call.request("ACK", { sequence: 1, branch: "z9hG4bKack" });
  const result = await accepting;
  assert.ok(result.ok);
  assert.deepEqual([lastResponse(call).body.length, result.session.remoteSdp], [0, sdp(7)]);
  await hangUp(call.rig, result.session);
});

test("our offer is never sent in an unreliable response", async () => {
  const { call, invite } = await ringIn([], "");
  invite.ring(183, { sdp: sdp(1) });
  await call.rig.clock.advance(0);
  assert.deepEqual([lastResponse(call).status, lastResponse(call).body.length], [183, 0]);
  invite.reject(486);
  await assertNothingLeft(call.rig);
});

test("agreed early media may be changed by UPDATE or in a PRACK", async () => {
  const { call, invite } = await ringIn(capable);
  await call.request("UPDATE", { body: sdp(2) });
  // Its first offer has no answer yet (RFC 3311 §5.2).
  assert.equal(call.lastStatus("UPDATE"), 500);
  invite.session.onReinvite = (offer) => ({ sdp: offer.replace("4000", "5000") });
  invite.ring(183, { sdp: sdp(1) });
  await call.rig.clock.advance(0);
  await call.request("PRACK", { headers: [rack(lastResponse(call))], body: sdp(2) });
  assert.match(call.rig.peer.responses("PRACK").at(-1)?.body.toString() ?? "", /m=audio 5000/);
  await call.request("UPDATE", { body: sdp(3) });
  assert.equal(call.lastStatus("UPDATE"), 200);
  const accepting = invite.accept({ sdp: sdp(1) });
  await call.request("ACK", { sequence: 1, branch: "z9hG4bKack" });
  const result = await accepting;
  assert.ok(result.ok && result.session.remoteSdp === sdp(3));
  await hangUp(call.rig, result.session);
});

test("a peer's reliable responses are acknowledged in order; repeated and overtaking ones are ignored", async () => {
  const seen: number[] = [];
  const { call } = await ringOut({ onProvisional: ({ status }) => seen.push(status) });
  const reliable = (status: number, sequence: number, body = ""): Promise<unknown> =>
    call.respond("INVITE", status, ["Require: 100rel", `RSeq: ${sequence}`], body);
  await reliable(183, 100, sdp(1));
  await reliable(183, 100, sdp(1));
  await reliable(180, 102);
  await reliable(182, 101);
  assert.deepEqual(seen, [183, 182]);
  const pracks = call.rig.peer.requests("PRACK");
  assert.deepEqual(
    [...new Set(pracks.map(({ headers }) => headers.get("rack")))],
    ["100 1 INVITE", "101 1 INVITE"],
  );
  assert.deepEqual([...new Set(pracks.map(({ cseq }) => cseq.sequence))], [2, 3]);
  for (const prack of pracks) call.rig.peer.respond(prack, 200);
  // The answer has arrived reliably: another one in the 200 changes nothing (RFC 3261 §13.2.1).
  await call.respond("INVITE", 200, [], sdp(9));
  assert.equal(call.established.remoteSdp, sdp(1));
  assert.equal(call.rig.peer.last("ACK").cseq.sequence, 1);
  await hangUp(call.rig, call.established);
  assert.equal(call.rig.peer.last("BYE").cseq.sequence, 4);
  await assertNothingLeft(call.rig);
});

test("an offer in a reliable response is answered in the PRACK", async () => {
  const { call } = await ringOut({ sdp: "", onOffer: (offer) => offer.replace("4000", "5000") });
  assert.equal(call.rig.peer.last("INVITE").body.length, 0);
  await call.respond("INVITE", 183, ["Require: 100rel", "RSeq: 5"], sdp(1));
  assert.match(call.rig.peer.last("PRACK").body.toString(), /m=audio 5000/);
  await call.respond("PRACK", 200);
  await call.respond("INVITE", 200);
  assert.equal(call.rig.peer.last("ACK").body.length, 0);
  assert.equal(call.established.remoteSdp, sdp(1));
  await hangUp(call.rig, call.established);
  await assertNothingLeft(call.rig);
});
