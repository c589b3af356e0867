import assert from "node:assert/strict";
import { test } from "node:test";
import { callIn, ringIn, ringOut, type ScriptedCall, sdp } from "../../testing/calls.ts";
import { assertNothingLeft, hangUp } from "../../testing/rig.ts";
import type { IncomingInvite } from "../invite/incoming-invite.ts";
import { formatReplaces, parseReplaces, type Replaces } from "./replaces.ts";

/** A Replaces value for our call from the peer's side, with the tags exchanged. */
function seenByPeer({ callId, toTag, fromTag }: Replaces): string {
  return formatReplaces({ callId, toTag: fromTag, fromTag: toTag, isEarlyOnly: false });
}

test("a formatted Replaces is parsed to the same value", () => {
  const replaces = { callId: "a@b", toTag: "1", fromTag: "2", isEarlyOnly: true };
  assert.deepEqual(parseReplaces(formatReplaces(replaces)), replaces);
  for (const text of ["", "a@b", "a@b;to-tag=1", ";to-tag=1;from-tag=2"]) {
    assert.equal(parseReplaces(text), undefined);
  }
});

let callCount = 0;

/** A second call from the peer with these header fields. */
async function callAgain(call: ScriptedCall, ...headers: string[]): Promise<IncomingInvite | undefined> {
  const before = call.invites.length;
  const { peer, clock } = call.rig;
  const name = `again-${++callCount}`;
  peer.request({
    method: "INVITE",
    branch: `z9hG4bK${name}`,
    callId: name,
    headers,
    body: sdp(1),
  });
  await clock.advance(0);
  return call.invites[before];
}

test("a call that replaces another takes its place when it is accepted", async () => {
  const call = await callIn();
  const invite = await callAgain(
    call,
    "Require: replaces",
    `Replaces: ${seenByPeer(call.established.replaces)}`,
  );
  assert.ok(invite !== undefined);
  assert.equal(invite.replaces, call.established);
  assert.equal(call.established.isEnded, false);
  const accepting = invite.accept({ sdp: sdp(1) });
  await call.rig.clock.advance(0);
  assert.equal((await call.established.ended).cause, "replaced");
  await call.respond("BYE", 200);
  const toTag = call.rig.peer.tagFrom("INVITE");
  call.rig.peer.request({ method: "ACK", branch: "z9hG4bKack2", callId: invite.callId, toTag });
  await call.rig.clock.advance(0);
  const result = await accepting;
  assert.ok(result.ok);
  await hangUp(call.rig, result.session);
  await assertNothingLeft(call.rig);
});

test("calls that may not be replaced are rejected as in RFC 3891 §3", async () => {
  const call = await callIn();
  const name = seenByPeer(call.established.replaces);
  const statusOf = async (...headers: string[]): Promise<number | undefined> => {
    assert.equal(await callAgain(call, ...headers), undefined);
    return call.lastStatus("INVITE");
  };
  assert.equal(await statusOf("Replaces: unknown@x;to-tag=1;from-tag=2"), 481);
  assert.equal(await statusOf(`Replaces: ${name};early-only`), 486);
  assert.equal(await statusOf(`Replaces: ${name}`, `Replaces: ${name}`), 400);
  assert.equal(await statusOf(`Replaces: nonsense`), 400);
  void call.established.bye();
  assert.equal(await statusOf(`Replaces: ${name}`), 603);
  await call.respond("BYE", 200);
  // A ringing call that the peer started.
  const { call: ringing, invite } = await ringIn();
  const tag = ringing.rig.peer.tagFrom("INVITE");
  assert.equal(await callAgain(ringing, `Replaces: call-1;to-tag=${tag};from-tag=peer`), undefined);
  assert.equal(ringing.lastStatus("INVITE"), 481);
  invite.reject(486);
  for (const { rig } of [call, ringing]) await assertNothingLeft(rig);
});

test("our ringing call is canceled for the one that replaces it", async () => {
  const invites: IncomingInvite[] = [];
  const { call, result } = await ringOut({}, { onInvite: (invite) => void invites.push(invite) });
  await call.respond("INVITE", 180);
  const ours = call.rig.peer.last("INVITE");
  const name = `${ours.callId};to-tag=${ours.from.parameters.get("tag")};from-tag=callee;early-only`;
  call.rig.peer.request({ method: "INVITE", callId: "second", headers: [`Replaces: ${name}`], body: sdp(1) });
  await call.rig.clock.advance(0);
  const [invite] = invites;
  assert.ok(invite !== undefined);
  const accepting = invite.accept({ sdp: sdp(1) });
  await call.rig.clock.advance(0);
  await call.respond("CANCEL", 200);
  await call.respond("INVITE", 487);
  assert.equal(result()?.ok, false);
  call.rig.peer.request({
    method: "ACK",
    branch: "z9hG4bKack2",
    callId: "second",
    toTag: call.rig.peer.tagFrom("INVITE"),
  });
  await call.rig.clock.advance(0);
  const accepted = await accepting;
  assert.ok(accepted.ok);
  await hangUp(call.rig, accepted.session);
  await assertNothingLeft(call.rig);
});

test("our call names the one that it replaces at the peer", async () => {
  const { call } = await ringOut({
    replaces: { callId: "a@b", toTag: "1", fromTag: "2", isEarlyOnly: false },
  });
  const { headers } = call.rig.peer.last("INVITE");
  assert.deepEqual(
    [headers.get("replaces"), headers.get("require")],
    ["a@b;to-tag=1;from-tag=2", "replaces"],
  );
  await call.respond("INVITE", 481);
  await assertNothingLeft(call.rig);
});
