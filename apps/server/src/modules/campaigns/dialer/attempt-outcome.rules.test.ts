import assert from "node:assert/strict";
import test from "node:test";
import { createDocument } from "../../agents/agent-document.rules.ts";
import {
  areMostDialsFailing,
  type AttemptEnd,
  type AttemptRules,
  finalStatusOf,
  isDialFailure,
  outcomeOf,
  retryAt,
  watchDial,
  withVoicemailStrategy,
} from "./attempt-outcome.rules.ts";

const endedAt = new Date("2026-11-22T12:00:00Z");
const rules: AttemptRules = {
  retryPolicy: { maxAttempts: 3, retryDelayMinutes: 30, retryOn: ["no_answer", "busy", "failed"] },
  voicemailStrategy: "agent",
};
const lastAttempt: AttemptRules = { ...rules, voicemailStrategy: "last_attempt" };

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
  const next = (attempts: number) => retryAt(rules, busy, { attempts, endedAt })?.toISOString();
  assert.deepEqual([1, 2, 3].map(next), ["2026-11-22T12:30:00.000Z", "2026-11-22T12:30:00.000Z", undefined]);
  const others: AttemptRules = { ...rules, retryPolicy: { ...rules.retryPolicy, retryOn: ["no_answer"] } };
  assert.equal(retryAt(others, busy, { attempts: 1, endedAt }), undefined);
});

test("a voicemail is retried if the policy names it, or before the last attempt if that one leaves the message", () => {
  const voicemail = end({ status: "completed", endReason: "voicemail", answeredAt: endedAt });
  const isRetried = (by: AttemptRules, attempts: number): boolean =>
    retryAt(by, voicemail, { attempts, endedAt }) !== undefined;
  const named: AttemptRules = { ...rules, retryPolicy: { ...rules.retryPolicy, retryOn: ["voicemail"] } };
  assert.deepEqual([isRetried(rules, 1), isRetried(named, 1), isRetried(named, 3)], [false, true, false]);
  assert.deepEqual(
    [1, 2, 3].map((attempts) => isRetried(lastAttempt, attempts)),
    [true, true, false],
  );
});

test("the last attempt does what the agent's settings say, those before it hang up at a voicemail", () => {
  const fields = {
    voicemailEnabled: false,
    voicemailAction: "leave_message",
    voicemailMessage: "Hi",
  } as const;
  const document = createDocument({ name: "Ada", ...fields });
  const settingsAt = (by: AttemptRules, attempt: number) => {
    const { voicemailEnabled, voicemailAction } = withVoicemailStrategy(document, by, attempt);
    return [voicemailEnabled, voicemailAction];
  };
  assert.deepEqual(settingsAt(rules, 1), [false, "leave_message"]);
  assert.deepEqual(settingsAt(lastAttempt, 1), [true, "hangup"]);
  assert.deepEqual(settingsAt(lastAttempt, 2), [true, "hangup"]);
  assert.deepEqual(settingsAt(lastAttempt, 3), [true, "leave_message"]);
});

test("an attempt that was answered, rejected by the callee or aimed at no number is not retried", () => {
  const isRetried = (fields: Partial<AttemptEnd>): boolean =>
    retryAt(rules, end(fields), { attempts: 1, endedAt }) !== undefined;
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
