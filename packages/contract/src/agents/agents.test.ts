import assert from "node:assert/strict";
import test from "node:test";
import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { agentFields } from "./agent-configuration.ts";
import { createAgentRoute, updateAgentRoute } from "./agents.ts";
import { defaultsOf, mergeFields, valueSchemas } from "../field-table.ts";
import { keysOf } from "../keys.ts";

const creation = Compile(createAgentRoute.body);
const update = Compile(updateAgentRoute.body);
const document = Compile(Type.Object(valueSchemas(agentFields)));

test("every field but the name has a default, and the defaults pass their own bounds", () => {
  const defaults = defaultsOf(agentFields);
  assert.deepEqual(["name", ...keysOf(defaults)].sort(), keysOf(agentFields).sort());
  assert.equal(creation.Check({ name: "A", ...defaults }), true);
  assert.equal(document.Check({ name: "A", ...defaults }), true);
});

test("every field but the name can be set to null", () => {
  for (const field of keysOf(agentFields))
    assert.equal(update.Check({ [field]: null }), field !== "name", field);
  assert.ok(
    update.Check({ publishMode: null, widgetConfig: { appearance: null, limits: { messagesPerDay: null } } }),
  );
});

test("an unknown field is refused at every level, a read-only one is not", () => {
  assert.ok(!update.Check({ promptTemplat: "…" }));
  assert.ok(!update.Check({ widgetConfig: { appearance: { colour: "#000000" } } }));
  assert.ok(
    !update.Check({ transferRoutes: [{ to_number: "+14155550123", condition: "always", when: "x" }] }),
  );
  assert.ok(update.Check({ id: "x", createdAt: "y", updatedAt: 1, phoneNumbers: [], sipTrunk: null }));
  assert.ok(
    update.Check({ customTools: [], widgetKey: "k", publishedRevision: 3, hasUnpublishedChanges: true }),
  );
  // What GET gave can be sent to create a copy.
  assert.ok(creation.Check({ name: "A", id: "x" }));
  assert.ok(!creation.Check({ name: "A", colour: "x" }));
});

test("numbers outside their range and variables with odd names are refused", () => {
  assert.ok(!update.Check({ voiceSpeed: 2.01 }));
  assert.ok(!update.Check({ maxConversationDurationSeconds: 29 }));
  assert.ok(!update.Check({ warmTransferConfig: { dialTimeoutSeconds: 4 } }));
  assert.ok(!update.Check({ defaultVariables: { "two words": "x" } }));
  assert.ok(update.Check({ defaultVariables: { two_words: "x" } }));
});

test("items of a list name what they require and get defaults for the rest", () => {
  assert.ok(!update.Check({ transferRoutes: [{ condition: "always" }] }));
  const change = { transferRoutes: [{ to_number: "+14155550123", condition: "always", extension: null }] };
  assert.ok(update.Check(change));
  const { transferRoutes } = mergeFields(agentFields, undefined, { name: "A", ...change });
  assert.deepEqual(transferRoutes, [
    {
      to_number: "+14155550123",
      condition: "always",
      extension: null,
      dialTimeoutSeconds: 30,
      waitForHumanSeconds: 30,
    },
  ]);
});

test("typed objects merge by field at every level, maps and lists are replaced, null resets", () => {
  const before = mergeFields(agentFields, undefined, {
    name: "A",
    defaultVariables: { a: "1" },
    sttKeyterms: ["x"],
    widgetConfig: { enabled: true, appearance: { theme: "dark", accentColor: "#000000" } },
    warmTransferConfig: { callerIdMode: "caller", introMessage: "Hello" },
  });
  const after = mergeFields(agentFields, before, {
    defaultVariables: { b: "2" },
    sttKeyterms: [],
    widgetConfig: { appearance: { accentColor: null }, modes: { chat: false } },
    warmTransferConfig: null,
  });
  assert.deepEqual(after.defaultVariables, { b: "2" });
  assert.deepEqual(after.sttKeyterms, []);
  assert.deepEqual(after.widgetConfig, {
    ...before.widgetConfig,
    modes: { chat: false, voice: true },
    appearance: { ...before.widgetConfig.appearance, accentColor: "#2563eb" },
  });
  assert.deepEqual(after.warmTransferConfig, defaultsOf(agentFields).warmTransferConfig);
});

test("a document shares nothing with the defaults or with what it came from", () => {
  const first = mergeFields(agentFields, undefined, { name: "A" });
  first.sttKeyterms.push("x");
  first.widgetConfig.appearance.theme = "dark";
  const second = mergeFields(agentFields, first, {});
  second.sttKeyterms.push("y");
  assert.deepEqual(first.sttKeyterms, ["x"]);
  assert.deepEqual(mergeFields(agentFields, undefined, { name: "A" }).sttKeyterms, []);
  assert.equal(defaultsOf(agentFields).widgetConfig.appearance.theme, "light");
});
