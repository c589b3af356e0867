import assert from "node:assert/strict";
import { test } from "node:test";
import { updateAgentRoute } from "@parley/contract";
import { AppError } from "../app-error.ts";
import { compileValidator } from "./validation.ts";

function issuesOf(flowDefinition: unknown): string[] {
  const check = compileValidator({ schema: updateAgentRoute.body, httpPart: "body", method: "", url: "" });
  const result: { error?: unknown } = Object(check({ flowDefinition }));
  if (result.error === undefined) return [];
  assert.ok(result.error instanceof AppError);
  return result.error.issues.map(({ path, message }) => `${path} ${message}`);
}

test("each issue of a node is one of the node's own type", () => {
  assert.deepEqual(
    issuesOf({
      start: "a",
      nodes: [
        { id: "a", type: "say", text: "Hello", next: "b" },
        { id: "b", type: "say", text: 5, next: "c" },
        { id: "c", type: "dance" },
        { id: "d", type: "end", more: 1 },
      ],
    }),
    [
      "flowDefinition.nodes.1.text must be string",
      "flowDefinition.nodes.2.type must be one of say, ask, condition, judge, tool, transfer, message, end, subPrompt",
      "flowDefinition.nodes.3.more is not a known field",
    ],
  );
  assert.deepEqual(issuesOf({ start: "a", nodes: [{ id: "a", type: "end" }] }), []);
});

test("too many nodes and names of prototypes are refused", () => {
  const nodes = Array.from({ length: 10_000 }, (_, index) => ({ id: `n${index}`, type: "end" }));
  assert.match(issuesOf({ start: "n0", nodes }).join(), /nodes must not have more than 200 items/);
  const slot: unknown = JSON.parse('{"name":"__proto__","type":"string"}');
  const ask = { id: "a", type: "ask", prompt: "Who?", slot, next: "a", onExhausted: "a" };
  assert.match(issuesOf({ start: "a", nodes: [ask] }).join(), /nodes\.0\.slot\.name must match pattern/);
});
