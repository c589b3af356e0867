import assert from "node:assert/strict";
import { test } from "node:test";
import { ringOut, type ScriptedCall, sdp } from "../../testing/calls.ts";
import { assertNothingLeft, hangUp } from "../../testing/rig.ts";

function fork(
  call: ScriptedCall,
  tag: string,
  status: number,
  headers: string[] = [],
  body = "",
): Promise<void> {
  call.rig.peer.respond(call.rig.peer.last("INVITE"), status, tag, headers, body);
  return call.rig.clock.advance(0);
}

test("peers that ring in parallel have separate dialogs, and the one that answers gets the call", async () => {
  const dialogs = new Set<string>();
  const { call } = await ringOut({ onProvisional: ({ dialogId }) => dialogs.add(dialogId) });
  await fork(call, "callee", 183, ["Require: 100rel", "RSeq: 1"], sdp(1));
  await fork(call, "other", 183, ["Require: 100rel", "RSeq: 9"], sdp(2));
  await fork(call, "third", 180);
  assert.equal(dialogs.size, 3);
  assert.equal(call.rig.ua.counts.dialogs, 3);
  const pracks = call.rig.peer.requests("PRACK");
  assert.deepEqual(
    pracks.map((prack) => [prack.to.parameters.get("tag"), prack.headers.get("rack")]),
    [
      ["callee", "1 1 INVITE"],
      ["other", "9 1 INVITE"],
    ],
  );
  for (const prack of pracks) call.rig.peer.respond(prack, 200);
  await fork(call, "other", 200);
  assert.ok(call.session !== undefined);
  assert.deepEqual([call.session.remoteSdp, call.rig.ua.counts.dialogs], [sdp(2), 1]);
  // §13.2.2.4: another fork that answers is acknowledged and ended, up to 32 s later.
  await call.rig.clock.advance(20_000);
  await fork(call, "third", 200, [], sdp(3));
  assert.equal(call.rig.peer.last("ACK").to.parameters.get("tag"), "third");
  const bye = call.rig.peer.last("BYE");
  assert.equal(bye.to.parameters.get("tag"), "third");
  call.rig.peer.respond(bye, 200);
  assert.equal(call.session.isEnded, false);
  await hangUp(call.rig, call.session);
  await assertNothingLeft(call.rig);
});

test("the early dialogs end with a final rejection", async () => {
  const { call, result } = await ringOut();
  await fork(call, "callee", 180);
  await fork(call, "other", 180);
  await fork(call, "other", 486);
  assert.equal(result()?.ok, false);
  assert.equal(call.rig.ua.counts.dialogs, 0);
  await assertNothingLeft(call.rig);
});

test("a peer may change early media by UPDATE, and a 200 without a description keeps the early one", async () => {
  const { call } = await ringOut({ onReinvite: (offer) => ({ sdp: offer.replace("4000", "5000") }) });
  await fork(call, "callee", 183, [], sdp(1));
  // The answer to our offer has not arrived reliably yet.
  await call.request("UPDATE", { body: sdp(2) });
  assert.equal(call.lastStatus("UPDATE"), 491);
  await fork(call, "callee", 183, ["Require: 100rel", "RSeq: 1"], sdp(1));
  await call.respond("PRACK", 200);
  await call.request("UPDATE", { body: sdp(2) });
  assert.equal(call.lastStatus("UPDATE"), 200);
  await fork(call, "callee", 200);
  assert.equal(call.established.remoteSdp, sdp(2));
  await hangUp(call.rig, call.established);
  await assertNothingLeft(call.rig);
  const bare = await ringOut();
  await fork(bare.call, "callee", 183, [], sdp(6));
  await fork(bare.call, "callee", 200);
  assert.equal(bare.call.established.remoteSdp, sdp(6));
  await hangUp(bare.call.rig, bare.call.established);
});

test("a late offer is answered in the ACK, and an unanswered one ends the call", async () => {
  const { call } = await ringOut({ sdp: "", onOffer: (offer) => offer.replace("4000", "5000") });
  await fork(call, "callee", 200, [], sdp(1));
  assert.match(call.rig.peer.last("ACK").body.toString(), /m=audio 5000/);
  assert.deepEqual([call.established.remoteSdp, call.established.localSdp.includes("5000")], [sdp(1), true]);
  await hangUp(call.rig, call.established);
  await assertNothingLeft(call.rig);
  const rejected = await ringOut({ sdp: "", onOffer: () => undefined });
  await fork(rejected.call, "callee", 200, [], sdp(1));
  assert.equal(rejected.call.rig.peer.requests("ACK").length, 1);
  await rejected.call.respond("BYE", 200);
  const result = rejected.result();
  assert.ok(result?.ok === false && result.status === 488);
  await assertNothingLeft(rejected.call.rig);
});

test("a redirection is followed to its targets in order of preference, each once", async () => {
  const { call, result } = await ringOut();
  await fork(call, "a", 302, [
    "Contact: <sip:low@10.0.0.2>;q=0.1, <sip:high@10.0.0.2?Route=evil>;q=0.9, <mailto:x@y>",
  ]);
  const second = call.rig.peer.last("INVITE");
  assert.deepEqual(
    [second.requestUri, second.cseq.sequence, second.to.uri],
    ["sip:high@10.0.0.2", 2, "sip:peer@10.0.0.2"],
  );
  // A loop: the target sends the call back to its origin.
  await fork(call, "b", 301, ["Contact: <sip:peer@10.0.0.2>, <sip:HIGH@10.0.0.2>, <sip:high@10.0.0.2>"]);
  assert.equal(call.rig.peer.last("INVITE").requestUri, "sip:HIGH@10.0.0.2");
  await fork(call, "c", 404);
  assert.equal(call.rig.peer.last("INVITE").requestUri, "sip:low@10.0.0.2");
  await fork(call, "d", 486);
  const settled = result();
  assert.ok(settled?.ok === false && settled.status === 486);
  await assertNothingLeft(call.rig);
});

test("redirections are limited, may be blocked, and end with a 6xx", async () => {
  const endless = await ringOut({ maxRedirects: 3 });
  for (let index = 0; index < 4; index++) {
    await fork(endless.call, `t${index}`, 302, [`Contact: <sip:next${index}@10.0.0.2>`]);
  }
  assert.equal(endless.call.rig.peer.requests("INVITE").length, 4);
  assert.equal(endless.result()?.ok, false);
  const vetoed = await ringOut({ isRedirectAllowed: (uri) => !uri.includes("premium") });
  await fork(vetoed.call, "a", 302, ["Contact: <sip:premium@10.0.0.2>"]);
  const rejection = vetoed.result();
  assert.ok(rejection?.ok === false && rejection.status === 302);
  const declined = await ringOut();
  await fork(declined.call, "a", 300, ["Contact: <sip:x@10.0.0.2>, <sip:y@10.0.0.2>"]);
  await fork(declined.call, "b", 603);
  assert.equal(declined.call.rig.peer.requests("INVITE").length, 2);
  for (const { call } of [endless, vetoed, declined]) await assertNothingLeft(call.rig);
});

test("a rejection reports its Retry-After", async () => {
  const { call, result } = await ringOut();
  await fork(call, "a", 480, ["Retry-After: 120 (in a meeting);duration=60"]);
  const settled = result();
  assert.ok(settled?.ok === false && settled.retryAfterMs === 120_000);
  await assertNothingLeft(call.rig);
});
