import assert from "node:assert/strict";
import { test } from "node:test";
import { assertNothingLeft, createRig } from "../testing/rig.ts";

test("requests from an ignored source are dropped unread; its responses to our own requests are not", async () => {
  const { clock, network, ua, peer } = createRig({ isIgnored: ({ address }) => address === "10.0.0.2" });
  const reply = ua.options({ to: "sip:10.0.0.2", from: "sip:us@10.0.0.1" });
  await clock.advance(0);
  peer.respond(peer.last("OPTIONS"), 200);
  await clock.advance(0);
  assert.equal((await reply).ok, true);
  const before = peer.received.length;
  peer.request({ method: "OPTIONS" });
  await clock.advance(0);
  assert.equal(peer.received.length, before);
  await assertNothingLeft({ clock, network, ua, peer });
});
