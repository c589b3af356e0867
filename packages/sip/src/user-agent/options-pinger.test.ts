import assert from "node:assert/strict";
import { test } from "node:test";
import { assertNothingLeft, createRig } from "../testing/rig.ts";
import type { PeerState } from "./options-pinger.ts";

function watch() {
  const rig = createRig({ random: () => 0.5 });
  const states: PeerState[] = [];
  const pinger = rig.ua.watch({
    to: "sip:10.0.0.2",
    from: "sip:10.0.0.1",
    onChange: (state) => states.push(state),
  });
  const answer = async (status: number, headers: readonly string[] = []): Promise<void> => {
    await rig.clock.advance(0);
    rig.peer.respond(rig.peer.last("OPTIONS"), status, "x", headers);
    await rig.clock.advance(0);
  };
  return { rig, states, pinger, answer };
}

test("a peer that answers with any status is up, and is pinged every 30 s", async () => {
  const { rig, states, pinger, answer } = watch();
  await rig.clock.advance(20);
  await answer(404);
  assert.deepEqual(states, [{ status: "up", roundTripMs: 20 }]);
  await rig.clock.advance(29_970);
  assert.equal(rig.peer.requests("OPTIONS").length, 1);
  await rig.clock.advance(40);
  assert.equal(rig.peer.requests("OPTIONS").length, 2);
  await answer(200);
  assert.equal(states.length, 1);
  pinger.close();
  await assertNothingLeft(rig);
});

test("one missing answer is no outage, two are, and an answer ends it", async () => {
  const { rig, states, pinger, answer } = watch();
  await answer(200);
  rig.network.filter = () => false;
  await rig.clock.advance(30_000 + 5_000);
  assert.equal(pinger.state.status, "up");
  await rig.clock.advance(30_000 + 5_000);
  assert.deepEqual(states.slice(1), [{ status: "down", reason: "no answer" }]);
  rig.network.filter = () => true;
  await rig.clock.advance(30_000);
  await answer(200);
  assert.equal(pinger.state.status, "up");
  pinger.close();
  await assertNothingLeft(rig);
});

test("a 503 counts as a failure with its reason, and its Retry-After is respected", async () => {
  const { rig, states, pinger, answer } = watch();
  await answer(503, ["Retry-After: 100"]);
  await rig.clock.advance(99_000);
  assert.equal(rig.peer.requests("OPTIONS").length, 1);
  await rig.clock.advance(1_000);
  await answer(503);
  assert.deepEqual(states, [{ status: "down", reason: "503 Scripted" }]);
  pinger.close();
  await assertNothingLeft(rig);
});

test("closing the user agent stops the pings", async () => {
  const { rig, states, answer } = watch();
  await answer(200);
  await rig.ua.close();
  assert.equal(rig.clock.pendingCount, 0);
  assert.equal(states.length, 1);
});
