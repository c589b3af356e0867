import assert from "node:assert/strict";
import { test } from "node:test";
import type { InviteEnd, SessionEnd } from "@parley/sip";
import { audioMismatch, outcomeOfEnd, outcomeOfInviteEnd } from "./call-end.rules.ts";

const ends: readonly [SessionEnd["cause"], string, string][] = [
  ["remote_bye", "completed", "user_hangup"],
  ["replaced", "completed", "transferred"],
  ["no_ack", "failed", "media_timeout"],
  ["lost", "failed", "media_timeout"],
  ["expired", "failed", "media_timeout"],
  ["closed", "failed", "node_lost"],
];
const inviteEnds: readonly [InviteEnd, string, string][] = [
  ["canceled", "canceled", "canceled"],
  ["hung_up", "canceled", "canceled"],
  ["expired", "canceled", "canceled"],
  ["no_ack", "failed", "media_timeout"],
  ["closed", "failed", "node_lost"],
];

test("only the caller's BYE is a hang-up of the user", () => {
  for (const [cause, status, endReason] of ends) {
    const outcome = outcomeOfEnd(cause);
    assert.deepEqual([outcome.status, outcome.endReason], [status, endReason]);
    assert.equal(outcome.endDetail === undefined, cause === "remote_bye");
  }
  for (const [cause, status, endReason] of inviteEnds) {
    const outcome = outcomeOfInviteEnd(cause);
    assert.deepEqual([outcome.status, outcome.endReason], [status, endReason]);
  }
});

test("two sides without common audio are no fault of the server", () => {
  assert.deepEqual(audioMismatch("SDP offer rejected: 488 No Common Codec"), {
    status: "failed",
    endReason: "dial_failed",
    endDetail: "SDP offer rejected: 488 No Common Codec",
  });
});
