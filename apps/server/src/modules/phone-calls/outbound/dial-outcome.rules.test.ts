import assert from "node:assert/strict";
import test from "node:test";
import { outcomeOfDial } from "./dial-outcome.rules.ts";

const byStatus = [
  [486, "busy", "dial_busy"],
  [600, "busy", "dial_busy"],
  [408, "no_answer", "dial_no_answer"],
  [480, "no_answer", "dial_no_answer"],
  [603, "failed", "dial_rejected"],
  [607, "failed", "dial_rejected"],
  [608, "failed", "dial_rejected"],
  [404, "failed", "dial_failed"],
  [407, "failed", "dial_failed"],
  [488, "failed", "dial_failed"],
  [503, "failed", "dial_failed"],
] as const;

for (const [status, callStatus, endReason] of byStatus) {
  test(`${status} makes a call ${callStatus} (${endReason}) and is stored in its detail`, () => {
    assert.deepEqual(outcomeOfDial({ ok: false, cause: "rejected", status, reason: "Because" }), {
      status: callStatus,
      endReason,
      endDetail: `${status} Because`,
    });
  });
}

test("a call that rings too long counts as not answered, and a silent trunk as failed", () => {
  const timeout = { ok: false, status: 408, reason: "Request Timeout" } as const;
  assert.equal(outcomeOfDial({ ...timeout, cause: "ring_timeout" }).status, "no_answer");
  assert.equal(outcomeOfDial({ ...timeout, cause: "no_response" }).endReason, "dial_failed");
  assert.equal(outcomeOfDial({ ...timeout, cause: "transport_error" }).endReason, "dial_failed");
});

test("the reason of the network is one line of bounded length, without control characters", () => {
  const detailOf = (reason: string) =>
    outcomeOfDial({ ok: false, cause: "rejected", status: 486, reason }).endDetail ?? "";
  assert.equal(detailOf("Busy\u0000\u001b[31m\t  Here \u202e"), "486 Busy [31m Here");
  assert.equal(detailOf("é".repeat(1_000)), `486 ${"é".repeat(96)}…`);
  assert.equal(detailOf("😀".repeat(1_000)), `486 ${"😀".repeat(96)}…`);
  assert.equal(detailOf(""), "486");
});
