import assert from "node:assert/strict";
import { test } from "node:test";
import { agentFields } from "../modules/agents/agent-fields.at-build.ts";
import { changedNames, findFaults, initialValues } from "./field-table.rules.ts";
import { describeLimits, explain, findFault, labelOf, unitOf, withoutNull } from "./schema-field.rules.ts";

test("names of fields become labels, and their last word a unit", () => {
  assert.equal(labelOf("firstMessageDelayMs"), "First message delay");
  assert.equal(labelOf("llmTemperature"), "Language model temperature");
  assert.equal(labelOf("webhookUrl"), "Webhook URL");
  assert.equal(labelOf("voiceId"), "Voice ID");
  assert.equal(unitOf("firstMessageDelayMs"), "ms");
  assert.equal(unitOf("turnTimeoutSeconds"), "seconds");
  assert.equal(unitOf("name"), undefined);
});

test("explanations name fields by their labels", () => {
  assert.equal(
    explain("Null: `firstMessage`, unless it is `user`."),
    "Empty: “First message”, unless it is user.",
  );
});

test("limits and defaults come from the contract", () => {
  const { schema = {}, initial } = agentFields.turnTimeoutSeconds;
  assert.equal(describeLimits(schema, initial), "From 1 to 60. Default: 10.");
  assert.equal(findFault(schema, 10), undefined);
  assert.equal(findFault(schema, 61), "must be at most 60");
  assert.equal(findFault(schema, null), "is required");
});

test("a field that may be null accepts nothing, and explains what it accepts otherwise", () => {
  const { schema = {} } = agentFields.preCallWebhookUrl;
  assert.ok(withoutNull(schema).isNullable);
  assert.equal(findFault(schema, null), undefined);
  assert.match(findFault(schema, "shop.example") ?? "", /https:/);
  assert.equal(findFault(schema, "https://shop.example/hook"), undefined);
});

test("the defaults of the contract pass its own checks, apart from required fields", () => {
  assert.deepEqual(Object.keys(findFaults(agentFields, initialValues(agentFields))), ["name"]);
});

test("faults in lists are found by their path", () => {
  const values = {
    ...initialValues(agentFields),
    name: "Ada",
    postCallExtraction: [
      { name: "not a name", type: "string", description: "What", options: [], required: false },
    ],
  };
  assert.deepEqual(Object.keys(findFaults(agentFields, values)), ["postCallExtraction.0.name"]);
  assert.deepEqual(changedNames(["name", "mode"], { name: "a", mode: "x" }, { name: "b", mode: "x" }), [
    "name",
  ]);
});
