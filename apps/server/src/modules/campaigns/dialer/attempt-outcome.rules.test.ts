import assert from "node:assert/strict";
import test from "node:test";
import type { RetryPolicy } from "@parley/contract";
import {
  areMostDialsFailing,
  type AttemptEnd,
  finalStatusOf,
  isDialFailure,
  outcomeOf,
  retryAt,
  watchDial,
} from "./attempt-outcome.rules.ts";

const endedAt = new Date("2026-11-22T12:00:00Z");
const policy: RetryPolicy = {
  maxAttempts: 3,
  retryDelayMinutes: 30,
  retryOn: ["no_answer", "busy", "failed"],
};

const end = (fields: Partial<AttemptEnd>): AttemptEnd => ({
  status: "failed",
  endReason: "dial_failed",
  endDetail: null,
  answeredAt: null,
  ...fields,
});

test("an attempt is what its call was: answered, unanswered, busy or failed", () => {
  const outcomes: [Partial<AttemptEnd>, string][] = [
    [{ status: "completed", endReason: "user_hangup", answeredAt: endedAt }, "answered"],
    [{ status: "failed", endReason: "error_llm", answeredAt: endedAt }, "answered"],
    [{ status: "completed", endReason: "voicemail", answeredAt: endedAt }, "voicemail"],
    [{ status: "failed", endReason: "node_lost", answeredAt: endedAt }, "failed"],
    [{ status: "no_answer", endReason: "dial_no_answer" }, "no_answer"],
    [{ status: "busy", endReason: "dial_busy" }, "busy"],
    [{ endReason: "dial_failed", endDetail: "503 Down" }, "failed"],
    [{ status: "canceled", endReason: "canceled" }, "canceled"],
    [{ status: "canceled", endReason: "rejected_by_webhook" }, "failed"],
  ];
  for (const [fields, outcome] of outcomes)
    assert.equal(outcomeOf(end(fields)), outcome, JSON.stringify(fields));
});

test("a contact is retried after the delay, until its attempts are used up", () => {
  const busy = end({ status: "busy", endReason: "dial_busy" });
  const next = (attempts: number) => retryAt(policy, busy, { attempts, endedAt })?.toISOString();
  assert.deepEqual([1, 2, 3].map(next), ["2026-11-22T12:30:00.000Z", "2026-11-22T12:30:00.000Z", undefined]);
  const others = { ...policy, retryOn: ["no_answer"] as const satisfies RetryPolicy["retryOn"] };
  assert.equal(retryAt({ ...others, retryOn: ["no_answer"] }, busy, { attempts: 1, endedAt }), undefined);
});

test("an attempt that was answered, rejected by the callee or aimed at no number is not retried", () => {
  const isRetried = (fields: Partial<AttemptEnd>): boolean =>
    retryAt(policy, end(fields), { attempts: 1, endedAt }) !== undefined;
  for (const status of [404, 410, 484, 604])
    assert.ok(!isRetried({ endDetail: `${status} No` }), String(status));
  for (const status of [603, 607, 608])
    assert.ok(!isRetried({ endReason: "dial_rejected", endDetail: `${status} No` }));
  assert.ok(!isRetried({ status: "canceled", endReason: "rejected_by_webhook" }));
  assert.ok(!isRetried({ status: "canceled", endReason: "canceled" }));
  assert.ok(!isRetried({ status: "completed", endReason: "user_hangup", answeredAt: endedAt }));
  assert.ok(isRetried({ endDetail: "503 Service Unavailable" }));
  assert.ok(isRetried({ endDetail: "the trunk cannot be reached" }));
  assert.ok(isRetried({ endReason: "node_lost" }));
});

test("most dials fail if ten of the last twenty do, for reasons other than the callee's", () => {
  const watch = (ends: AttemptEnd[]) =>
    ends.reduce<boolean[]>((recent, each) => watchDial(recent, isDialFailure(each)), []);
  const down = end({ endDetail: "503 Service Unavailable" });
  const answered = end({ status: "completed", endReason: "user_hangup", answeredAt: endedAt });
  const repeat = (each: AttemptEnd, times: number) => Array.from({ length: times }, () => each);
  assert.ok(!areMostDialsFailing(watch(repeat(down, 9))));
  assert.ok(areMostDialsFailing(watch(repeat(down, 10))));
  assert.ok(!areMostDialsFailing(watch([...repeat(down, 9), ...repeat(answered, 12), down])));
  assert.ok(!areMostDialsFailing(watch(repeat(end({ endDetail: "404 Not Found" }), 20))));
});

test("a contact that was answered is completed, any other has failed", () => {
  assert.deepEqual(
    [finalStatusOf("answered"), finalStatusOf("voicemail"), finalStatusOf("busy")],
    ["completed", "completed", "failed"],
  );
});
