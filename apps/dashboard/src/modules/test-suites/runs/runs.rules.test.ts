import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestAttempt, TestRun, TestRunDetail } from "@parley/client";
import { compareRuns, firstOfInterest, outcomesOf, ratesByRevision } from "./runs.rules.ts";

type Result = TestAttempt["result"];

function runOf(results: Readonly<Record<string, readonly Result[]>>): TestRunDetail {
  const attempts = Object.entries(results).flatMap(([testCaseId, own]) =>
    own.map((result, index) => ({
      id: `${testCaseId}${index}`,
      testCaseId,
      testCaseName: testCaseId,
      attemptNumber: index + 1,
      startedAt: null,
      result,
    })),
  );
  return { attempts } as unknown as TestRunDetail;
}

test("one attempt that did not pass decides about its case", () => {
  const run = runOf({
    a: ["pass", "fail"],
    b: ["pass", "pass"],
    c: ["error", "cancelled"],
    d: ["fail", null],
  });
  assert.deepEqual(
    outcomesOf(run).map(({ id, passed, result }) => [id, passed, result]),
    [
      ["a", 1, "fail"],
      ["b", 2, "pass"],
      ["c", 0, "error"],
      ["d", 0, null],
    ],
  );
});

test("the first attempt of interest runs, or did not pass", () => {
  const { attempts } = runOf({ a: ["pass", "error", null] });
  assert.equal(firstOfInterest(attempts)?.id, "a1");
  const running = attempts.map((each) => ({ ...each, startedAt: "2026-11-23T00:00:00Z" }));
  assert.equal(firstOfInterest(running)?.id, "a2");
  assert.equal(firstOfInterest([]), undefined);
});

test("two runs are compared case by case, by the share of attempts that passed", () => {
  const before = runOf({ a: ["pass", "fail"], b: ["pass"], c: ["fail"], gone: ["pass"] });
  const after = runOf({ a: ["pass"], b: ["fail"], c: ["fail"], new: ["pass"] });
  assert.deepEqual(
    compareRuns(before, after).map(({ id, change }) => [id, change]),
    [
      ["b", "worse"],
      ["a", "better"],
      ["new", "added"],
      ["gone", "removed"],
      ["c", "same"],
    ],
  );
});

test("rates add up the completed runs of a revision", () => {
  const run = (configurationRevision: number | null, passedTests: number, status = "completed") =>
    ({ configurationRevision, agentRevision: null, passedTests, totalTests: 4, status }) as TestRun;
  assert.deepEqual(ratesByRevision([run(2, 4), run(3, 1), run(2, 2), run(3, 4, "running")]), [
    { revision: 3, runs: 1, cases: 4, passed: 1 },
    { revision: 2, runs: 2, cases: 8, passed: 6 },
  ]);
});
