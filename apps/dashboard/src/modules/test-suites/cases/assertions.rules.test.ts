import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestAssertion } from "@parley/client";
import { assertionOf, draftOf, findDraftFaults, newDraft } from "./assertions.rules.ts";

test("every type of assertion survives the form", () => {
  const assertions: TestAssertion[] = [
    {
      type: "tool_called",
      toolName: "look_up",
      arguments: { number: "1", deep: { a: [1] } },
      match: "exact",
      times: 2,
    },
    { type: "tool_called", toolName: "look_up" },
    { type: "tool_not_called", toolName: "end_call" },
    { type: "said", text: "hello" },
    { type: "not_said", text: "bye", role: "user" },
    { type: "order", sequence: [{ text: "hello" }, { toolName: "look_up" }] },
    { type: "latency", maxMs: 900 },
    { type: "end_reason", endReason: "turn_limit" },
    { type: "extraction", field: "age", value: 3 },
    { type: "extraction", field: "city", value: "Bern" },
    { type: "extraction", field: "phone", value: null },
  ];
  assert.deepEqual(
    assertions.map((each) => assertionOf(draftOf(each))),
    assertions,
  );
});

test("a change of the type leaves out what the other type had", () => {
  const draft = draftOf({ type: "said", text: "hello", role: "user" });
  assert.deepEqual(assertionOf({ ...draft, type: "latency" }), { type: "latency", maxMs: 2_000 });
});

test("arguments that are no JSON object are a fault at their field", () => {
  const drafts = ["{}", "[1]", "{number", ""].map((text) => ({
    ...newDraft("tool_called"),
    arguments: text,
  }));
  assert.deepEqual(Object.keys(findDraftFaults(drafts)), [
    "assertions.1.arguments",
    "assertions.2.arguments",
  ]);
  assert.deepEqual(findDraftFaults([{ ...newDraft("said"), arguments: "[1]" }]), {});
});
