import assert from "node:assert/strict";
import { test } from "node:test";
import { flowDefinitionSchema, sampleFlows } from "@parley/contract";
import { describeAt, findSchemaFaults, type FlowSchema } from "./flow-schema.rules.ts";

const schema: FlowSchema = JSON.parse(JSON.stringify(flowDefinitionSchema));

test("the samples have no faults", () => {
  for (const flow of Object.values(sampleFlows)) assert.deepEqual(findSchemaFaults(schema, flow), []);
});

test("faults are at their places, by the type of the node", () => {
  const slot = { name: "Day", type: "day" };
  const nodes = [
    { id: "a", type: "say", texts: "Hi", next: "b" },
    { id: "b", type: "ask", prompt: "Day?", slot, next: "a", onExhausted: "a" },
    { id: "c", type: "dance" },
  ];
  const faults = findSchemaFaults(schema, { nodes }).map(
    ({ path, message }) => `${path.join(".")} ${message}`,
  );
  assert.deepEqual(
    faults.map((fault) => fault.replace(/pattern.*/, "…")),
    [
      " “start” is required",
      "nodes.0 “text” is required",
      "nodes.0.texts is not a field here: id, type, text, next",
      faults[3],
      "nodes.1.slot.type must be one of string, number, boolean, enum, date, phone_number",
      "nodes.2 “type” must be one of say, ask, condition, judge, tool, transfer, message, end, subPrompt",
    ],
  );
  assert.match(faults[3] ?? "", /^nodes\.1\.slot\.name /);
});

test("a field is described by its node's type", () => {
  const flow = sampleFlows.survey;
  assert.match(describeAt(schema, flow, ["nodes", 0, "maxAttempts"]) ?? "", /How often the question is put/);
  assert.equal(describeAt(schema, flow, ["nodes", 2, "maxAttempts"]), undefined);
  assert.equal(describeAt(schema, flow, ["constructor"]), undefined);
});
