import assert from "node:assert/strict";
import { test } from "node:test";
import type { TranscriptItem } from "@parley/contract";
import { toTestCase } from "./case-from-call.rules.ts";
import { compareRuns } from "./comparison.rules.ts";
import { findProblems } from "./test-cases.rules.ts";

const ofCase = (testCaseId: string, pass: number, fail: number) => ({
  testCaseId,
  name: testCaseId.toUpperCase(),
  results: [
    { result: "pass" as const, total: pass },
    { result: "fail" as const, total: fail },
    { result: null, total: 1 },
  ],
});

test("runs are compared by the pass rate of each case, and a case with both results is flaky", () => {
  const run = [ofCase("a", 2, 0), ofCase("b", 1, 1), ofCase("c", 1, 0), ofCase("d", 0, 0)];
  const base = [ofCase("a", 1, 1), ofCase("b", 2, 0), ofCase("e", 0, 1), ofCase("d", 0, 0)];
  assert.deepEqual(
    compareRuns(run, base).map((each) => [
      each.testCaseName,
      each.change,
      each.run?.passRate,
      each.run?.isFlaky,
      each.base?.passRate,
    ]),
    [
      ["A", "better", 1, false, 0.5],
      ["B", "worse", 0.5, true, 1],
      ["C", "added", 1, false, undefined],
      ["D", "same", null, false, null],
      ["E", "removed", undefined, undefined, 0],
    ],
  );
});

const item = (fields: Partial<TranscriptItem>): TranscriptItem => ({
  id: "item",
  type: "message",
  text: "",
  startMs: 0,
  endMs: 0,
  ...fields,
});
const call = (toolCallId: string, input: unknown, answer: string, isError = false): TranscriptItem[] => [
  item({ type: "tool_call", toolName: "look_up", toolCallId, text: JSON.stringify(input) }),
  item({ type: "tool_result", toolName: "look_up", toolCallId, text: answer, isError }),
];

test("a case from a call has the caller's turns, the tools' answers in turn, and what the agent did", () => {
  const definition = toTestCase({
    transcript: [
      item({ role: "agent", text: "Hello." }),
      item({ role: "user", text: "Where is my order?" }),
      item({ role: "user", text: "It's 12." }),
      ...call("1", { number: "12" }, "busy", true),
      ...call("2", { number: "12" }, "shipped"),
      ...call("3", { number: "12", detail: true }, "by train"),
      item({ type: "tool_call", toolName: "play_keypad_touch_tone", toolCallId: "4", text: '{"keys":"1"}' }),
      item({ role: "agent", text: "It shipped." }),
      item({ role: "user", text: "Bye." }),
    ],
    variables: { shop: "Miller" },
    endReason: "user_hangup",
  });
  assert.deepEqual(definition.callerLines, ["Where is my order? It's 12.", "Bye."]);
  assert.deepEqual(definition.toolMocks, [
    { toolName: "look_up", arguments: { number: "12", detail: true }, answers: [{ text: "by train" }] },
    {
      toolName: "look_up",
      arguments: { number: "12" },
      answers: [{ text: "busy", isError: true }, { text: "shipped" }],
    },
  ]);
  assert.deepEqual(
    definition.assertions.map(({ type }) => type),
    ["tool_called", "tool_called", "end_reason"],
  );
  assert.deepEqual([definition.variables, findProblems(definition)], [{ shop: "Miller" }, []]);
  const silent = toTestCase({
    transcript: [item({ role: "user", text: "Hi" })],
    variables: {},
    endReason: null,
  });
  assert.deepEqual(findProblems(silent), []);
});
