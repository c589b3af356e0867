import assert from "node:assert/strict";
import test from "node:test";
import type { TestAttempt } from "@parley/client/api";
import { hasPassed, renderJunit, renderMarkdown, type SuiteResult } from "./reports.ts";

function attempt(name: string, given: Partial<TestAttempt>): TestAttempt {
  return {
    testCaseName: name,
    attemptNumber: 1,
    result: "pass",
    reasoning: "All is well.",
    assertions: [],
    transcript: [],
    startedAt: "2026-11-23T00:00:00.000Z",
    completedAt: "2026-11-23T00:00:01.500Z",
    ...given,
  } as unknown as TestAttempt;
}

const result = {
  suiteName: 'Orders & "more"',
  run: {
    name: "Nightly",
    status: "completed",
    environment: null,
    configurationRevision: 7,
    passedTests: 1,
    totalTests: 3,
    attempts: [
      attempt("Good", {}),
      attempt("Bad | <b>", {
        result: "fail",
        reasoning: null,
        assertions: [{ type: "said", passed: false, detail: 'The agent did not say "]]>\u0007".' }],
        transcript: [
          { id: "1", type: "message", role: "agent", text: "Hello\n<there>", startMs: 0, endMs: 1 },
        ],
      }),
      attempt("Unclear", { result: "error", reasoning: "The judge did not decide." }),
      attempt("Late", { result: null, reasoning: null, completedAt: null }),
      attempt("Stopped", { result: "cancelled", reasoning: null }),
    ],
  },
} as unknown as SuiteResult;

test("JUnit XML counts results, gives reasons and transcripts, and escapes what XML does not allow", () => {
  const xml = renderJunit([result]);
  assert.match(xml, /<testsuites tests="5" failures="1" errors="2" skipped="1" time="6.000">/);
  assert.match(xml, /<testsuite name="Orders &amp; &quot;more&quot;"/);
  assert.match(xml, /<failure message="The agent did not say &quot;\]\]&gt;&quot;."\/>/);
  assert.match(xml, /<system-out>agent: Hello&#10;&lt;there&gt;<\/system-out>/);
  assert.match(xml, /name="Good, attempt 1" time="1.500"><system-out>/);
  assert.match(xml, /<error message="The judge did not decide."\/>/);
});

test("the Markdown summary is a table that its texts cannot break", () => {
  const markdown = renderMarkdown([result]);
  assert.match(
    markdown,
    /^## Failed: Orders & "more"\n\n1 of 3 cases passed \(draft, revision 7; Nightly\)\./,
  );
  assert.match(markdown, /\| Bad \\\| \\<b\\> \| 1 \| fail \| The agent did not say/);
});

test("a suite passes only if every case passed and the run was completed", () => {
  const { run } = result;
  assert.equal(hasPassed(result), false);
  assert.equal(hasPassed({ ...result, run: { ...run, passedTests: 3 } }), true);
  assert.equal(hasPassed({ ...result, run: { ...run, passedTests: 3, status: "cancelled" } }), false);
});
