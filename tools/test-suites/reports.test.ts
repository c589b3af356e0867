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
  assert.match(xml, /<testsuites tests="5" failures="1" errors="2" time="6.000">/);
  assert.match(xml, /<testsuite name="Orders &amp; &quot;more&quot;" .* skipped="1" time="6.000">/);
  assert.match(xml, /<failure message="The agent did not say &quot;\]\]&gt;&quot;."\/>/);
  assert.match(xml, /<system-out>agent: Hello&#10;&lt;there&gt;<\/system-out>/);
  assert.match(xml, /name="Good, attempt 1" time="1.500"><system-out>/);
  assert.match(xml, /<error message="The judge did not decide."\/>/);
});

/** Elements of `junit-10.xsd` that reports use, with their attributes (required ones marked) and children. */
const schema: Readonly<Record<string, { attributes: string; children: string }>> = {
  testsuites: { attributes: "name time tests failures errors", children: "testsuite" },
  testsuite: {
    attributes: "name! tests! failures! errors! time skipped timestamp hostname id package",
    children: "testsuite properties testcase system-out system-err",
  },
  properties: { attributes: "", children: "property" },
  property: { attributes: "name! value!", children: "" },
  testcase: {
    attributes: "name! time classname group",
    children: "skipped error failure system-out system-err",
  },
  skipped: { attributes: "type message", children: "#text" },
  error: { attributes: "type message", children: "#text" },
  failure: { attributes: "type message", children: "#text" },
  "system-out": { attributes: "", children: "#text" },
};

/** Checks that the text is well-formed XML with the elements and attributes of the schema. */
function assertJunit(xml: string): void {
  const open: string[] = [];
  const [, body = ""] = /^<\?xml version="1\.0" encoding="UTF-8"\?>\n([^]*)\n$/.exec(xml) ?? [];
  const tokens = body.match(/<[^>]*>|[^<]+/g) ?? [];
  assert.equal(tokens.join(""), body);
  for (const token of tokens) {
    const [, isEnd, name = "", attributes = "", isEmpty] =
      /^<(\/?)([\w-]+)((?: [\w-]+="[^"<]*")*)(\/?)>$/.exec(token) ?? [];
    const allowed = schema[open.at(-1) ?? ""]?.children.split(" ") ?? ["testsuites"];
    if (name === "") {
      assert.ok(token.trim() === "" || allowed.includes("#text"), token);
      assert.doesNotMatch(token, /&(?!(?:lt|gt|amp|quot|#10);)/);
    } else if (isEnd === "/") assert.equal(open.pop(), name);
    else {
      assert.ok(allowed.includes(name), `${name} in ${open.join(" > ")}`);
      const names = [...attributes.matchAll(/ ([\w-]+)=/g)].map(([, each]) => each ?? "");
      const known = schema[name]?.attributes.split(" ") ?? [];
      for (const each of names)
        assert.ok(
          known.some((one) => one.replace("!", "") === each),
          `${name}.${each}`,
        );
      for (const each of known.filter((one) => one.endsWith("!")))
        assert.ok(names.includes(each.slice(0, -1)), `${name} needs ${each}`);
      if (isEmpty !== "/") open.push(name);
    }
  }
  assert.deepEqual(open, []);
}

test("JUnit XML is valid by the schema, whatever was said", () => {
  assertJunit(renderJunit([result, result]));
  assertJunit(renderJunit([]));
  const hostile = "</system-out><testcase/>]]>&#0;&\u0000\uFFFE\uD800\"'<![CDATA[";
  const item = { id: "1", type: "message" as const, role: "user" as const, startMs: 0, endMs: 0 };
  const attempts = [
    attempt(hostile, { result: "error", reasoning: hostile, transcript: [{ ...item, text: hostile }] }),
  ];
  assertJunit(renderJunit([{ suiteName: hostile, run: { ...result.run, name: hostile, attempts } }]));
});

test("the Markdown summary is a table that its texts cannot break", () => {
  const markdown = renderMarkdown([result]);
  assert.match(
    markdown,
    /^## Failed: Orders \\& "more"\n\n1 of 3 cases passed \(draft, revision 7; Nightly\)\./,
  );
  assert.match(markdown, /\| Bad \\\| \\<b\\> \| 1 \| fail \| The agent did not say/);
});

test("a suite passes only if every case passed and the run was completed", () => {
  const { run } = result;
  assert.equal(hasPassed(result), false);
  assert.equal(hasPassed({ ...result, run: { ...run, passedTests: 3 } }), true);
  assert.equal(hasPassed({ ...result, run: { ...run, passedTests: 3, status: "cancelled" } }), false);
});
