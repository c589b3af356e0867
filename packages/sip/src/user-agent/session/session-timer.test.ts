import assert from "node:assert/strict";
import { test } from "node:test";
import { callIn, callOut, ringOut, type ScriptedCall, sdp } from "../../testing/calls.ts";
import { assertNothingLeft, createRig, hangUp } from "../../testing/rig.ts";

const updates = "Allow: INVITE, ACK, BYE, UPDATE";

function inviteResponse(call: ScriptedCall): { expires: string | undefined; require: string | undefined } {
  const response = call.rig.peer.responses("INVITE").find(({ status }) => status === 200);
  return { expires: response?.headers.get("session-expires"), require: response?.headers.get("require") };
}

async function expectExpiry(call: ScriptedCall): Promise<void> {
  assert.equal((await call.established.ended).cause, "expired");
  await call.respond("BYE", 200);
  await assertNothingLeft(call.rig);
}

test("we refresh the session of a caller without timers, half-way through the interval", async () => {
  const call = await callIn([updates]);
  assert.deepEqual(inviteResponse(call), { expires: "1800;refresher=uas", require: undefined });
  await call.rig.clock.advance(899_000);
  assert.equal(call.rig.peer.requests("UPDATE").length, 0);
  await call.rig.clock.advance(1_000);
  const refresh = await call.respond("UPDATE", 200, ["Session-Expires: 600;refresher=uac"]);
  assert.deepEqual([refresh.headers.get("session-expires"), refresh.body.length], ["1800;refresher=uac", 0]);
  await call.rig.clock.advance(300_000);
  assert.equal(new Set(call.rig.peer.requests("UPDATE").map(({ cseq }) => cseq.sequence)).size, 2);
  // No more answers from the peer.
  await call.rig.clock.advance(33_000);
  assert.equal((await call.established.ended).cause, "lost");
  await assertNothingLeft(call.rig);
});

test("a peer that does not know UPDATE is refreshed by a re-INVITE with the same description", async () => {
  const call = await callOut(["Session-Expires: 200;refresher=uac"]);
  await call.rig.clock.advance(100_000);
  const refresh = await call.respond("INVITE", 200, ["Session-Expires: 200;refresher=uac"], sdp(1));
  assert.equal(refresh.body.toString(), sdp(1));
  assert.equal(refresh.headers.get("session-expires"), "200;refresher=uac");
  assert.equal(call.rig.peer.last("ACK").cseq.sequence, refresh.cseq.sequence);
  await hangUp(call.rig, call.established);
  await assertNothingLeft(call.rig);
});

test("a caller that supports timers refreshes, and one that stops is hung up shortly before the end (§10)", async () => {
  const call = await callIn(["Supported: timer", "Session-Expires: 120"]);
  assert.deepEqual(inviteResponse(call), { expires: "120;refresher=uac", require: "timer" });
  await call.rig.clock.advance(80_000);
  await call.request("UPDATE", { headers: ["Supported: timer", "Session-Expires: 120;refresher=uac"] });
  assert.equal(call.rig.peer.responses("UPDATE").at(-1)?.headers.get("session-expires"), "120;refresher=uac");
  await call.rig.clock.advance(87_000);
  assert.equal(call.established.isEnded, false);
  await call.rig.clock.advance(2_000);
  await expectExpiry(call);
});

test("the side that the caller names as refresher refreshes", async () => {
  const call = await callIn(["Supported: timer", "Session-Expires: 120;refresher=uas", updates]);
  assert.equal(inviteResponse(call).expires, "120;refresher=uas");
  await call.rig.clock.advance(60_000);
  assert.equal(call.rig.peer.requests("UPDATE").length, 1);
  // After a rejection other than 408 or 481, the session lives until its interval ends.
  await call.respond("UPDATE", 403);
  await call.rig.clock.advance(60_000);
  await expectExpiry(call);
});

test("an interval below our minimum is rejected with 422 and our minimum", async () => {
  const rig = createRig({ sessionTimer: { minSeconds: 300 } });
  rig.peer.request({
    method: "INVITE",
    headers: ["Supported: timer", "Session-Expires: 200"],
    body: "offer",
  });
  await rig.clock.advance(0);
  assert.deepEqual(rig.peer.statuses("INVITE"), [422]);
  assert.equal(rig.peer.responses("INVITE").at(-1)?.headers.get("min-se"), "300");
  await assertNothingLeft(rig);
});

test("a proxy's interval is accepted if its caller does not support timers", async () => {
  const call = await callIn(["Session-Expires: 95"], { sessionTimer: { minSeconds: 300 } });
  assert.equal(inviteResponse(call).expires, "95;refresher=uas");
  await hangUp(call.rig, call.established);
  await assertNothingLeft(call.rig);
});

test("our interval is raised to the minimum in a 422, with Min-SE", async () => {
  const { call } = await ringOut({}, { sessionTimer: { expiresSeconds: 120 } });
  assert.equal(call.rig.peer.last("INVITE").headers.get("session-expires"), "120");
  await call.respond("INVITE", 422, ["Min-SE: 500"]);
  const again = call.rig.peer.last("INVITE");
  assert.deepEqual(
    [again.cseq.sequence, again.headers.get("session-expires"), again.headers.get("min-se")],
    [2, "500", "500"],
  );
  await call.respond("INVITE", 200, ["Require: timer", "Session-Expires: 500;refresher=uas"], sdp(1));
  await call.rig.clock.advance(467_000);
  assert.equal(call.established.isEnded, false);
  await call.rig.clock.advance(2_000);
  await expectExpiry(call);
});

test("a refresh that finds the interval too short is sent again with a longer one", async () => {
  const call = await callOut([updates, "Session-Expires: 100;refresher=uac"]);
  await call.rig.clock.advance(50_000);
  await call.respond("UPDATE", 422, ["Min-SE: 400"]);
  const again = await call.respond("UPDATE", 200, ["Session-Expires: 400;refresher=uac"]);
  assert.equal(again.headers.get("session-expires"), "400;refresher=uac");
  await hangUp(call.rig, call.established);
  await assertNothingLeft(call.rig);
});

test("without agreement on a timer there are no refreshes", async () => {
  const call = await callOut();
  await call.rig.clock.advance(10_000_000);
  assert.equal(call.established.isEnded, false);
  await hangUp(call.rig, call.established);
  await assertNothingLeft(call.rig);
});
