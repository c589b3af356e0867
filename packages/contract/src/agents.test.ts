import assert from "node:assert/strict";
import test from "node:test";
import { Compile } from "typebox/compile";
import { agentDefaults, configurationFields } from "./agent-configuration.ts";
import { createAgentRoute, updateAgentRoute } from "./agents.ts";
import { keysOf } from "./keys.ts";

const creation = Compile(createAgentRoute.body);
const update = Compile(updateAgentRoute.body);

test("every field has a default, and the defaults pass their own bounds", () => {
  assert.deepEqual(Object.keys(agentDefaults).sort(), Object.keys(configurationFields).sort());
  assert.equal(creation.Check({ name: "A", ...agentDefaults }), true);
});

test("every field but the name can be set to null", () => {
  for (const field of keysOf(configurationFields)) assert.ok(update.Check({ [field]: null }), field);
  assert.ok(update.Check({ status: null, sipTrunkId: null }));
  assert.ok(!update.Check({ name: null }));
});

test("an unknown field is refused, a read-only one is not", () => {
  assert.ok(!update.Check({ promptTemplat: "…" }));
  assert.ok(update.Check({ id: "x", createdAt: "y", updatedAt: 1, phoneNumbers: [], sipTrunk: null }));
  assert.ok(!creation.Check({ name: "A", id: "x" }));
});

test("numbers outside their range and variables with odd names are refused", () => {
  assert.ok(!update.Check({ voiceSpeed: 2.01 }));
  assert.ok(!update.Check({ maxConversationDurationSeconds: 29 }));
  assert.ok(!update.Check({ defaultVariables: { "two words": "x" } }));
  assert.ok(update.Check({ defaultVariables: { two_words: "x" } }));
});
