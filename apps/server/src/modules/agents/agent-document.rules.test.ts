import assert from "node:assert/strict";
import test from "node:test";
import { createHash } from "node:crypto";
import {
  agentFields,
  type CustomTool,
  customToolFields,
  defaultsOf,
  type FieldTable,
} from "@parley/contract";
import {
  changeDocument,
  createDocument,
  diffDocuments,
  isSameWhenPublished,
  liftDocument,
  SCHEMA_VERSION,
  withLiveFields,
} from "./agent-document.rules.ts";

const ada = createDocument({ name: "Ada" });

const tool: CustomTool = {
  id: "t",
  name: "look_up",
  webhookUrl: "https://shop.example/orders",
  schema: { description: "Looks up." },
  enabled: true,
  httpMethod: "POST",
  headers: [],
  queryParams: [],
  sendRawRequestBody: false,
  responseMode: "sync",
  createdAt: "2026-11-21T00:00:00.000Z",
  updatedAt: "2026-11-21T00:00:00.000Z",
};

test("a new document has every field, from the request or the defaults", () => {
  const document = createDocument({ name: "Ada", voiceSpeed: 1.5, firstMessage: null });
  assert.deepEqual(document, {
    schemaVersion: 6,
    name: "Ada",
    ...defaultsOf(agentFields),
    phoneNumbers: [],
    customTools: [],
    voiceSpeed: 1.5,
  });
});

test("in a change, absent fields stay, null becomes the default, and fields outside the configuration are ignored", () => {
  const document = createDocument({ name: "Ada", voiceSpeed: 1.5, sttKeyterms: ["Parley"] });
  const readOnly = { id: "x", customTools: [], publishedRevision: 7 };
  const changed = changeDocument({ ...document, customTools: [tool] }, { ...readOnly, voiceSpeed: null });
  assert.deepEqual(changed, { ...document, customTools: [tool], voiceSpeed: 1 });
  assert.equal(document.voiceSpeed, 1.5);
});

test("a widget in production names no environment", () => {
  const change = { widgetConfig: { environment: "production" } };
  assert.equal(changeDocument(ada, change).widgetConfig.environment, null);
});

test("differences are named by field, ignoring key order, the sign of zero and the times of tools", () => {
  const slot = { name: "age", type: "number", minimum: 0 } as const;
  const ask = { id: "a", type: "ask", prompt: "Age?", slot, next: "b", onExhausted: "b" } as const;
  const flowDefinition = { start: "a", nodes: [ask, { id: "b", type: "end" } as const] };
  const flow = { ...ada, flowDefinition, customTools: [tool] };
  const nodes = [
    { ...ask, slot: { minimum: -0, type: "number", name: "age" } },
    { type: "end", id: "b" },
  ];
  const stored = JSON.parse(JSON.stringify({ nodes, start: "a" }).replace('"minimum":0', '"minimum":-0'));
  const later = { ...tool, updatedAt: "2026-11-22T00:00:00.000Z" };
  assert.deepEqual(diffDocuments(flow, { ...flow, flowDefinition: stored, customTools: [later] }), []);
  const renamed = { ...flow, name: "Bea", customTools: [{ ...tool, enabled: false }] };
  assert.deepEqual(diffDocuments(flow, renamed), ["name", "customTools"]);
  assert.deepEqual(diffDocuments(flow, { ...flow, sttKeyterms: ["a"] }), ["sttKeyterms"]);
});

test("status, trunk, numbers and knowledge bases are live regardless of the published version", () => {
  const number = { id: "n", e164: "+14155550123", environment: null, createdAt: "", updatedAt: "" };
  const links = { phoneNumbers: [number], knowledgeBaseIds: ["b"] };
  const live = { ...ada, status: "disabled", sipTrunkId: "t", ...links } as const;
  assert.ok(isSameWhenPublished(ada, live));
  assert.ok(!isSameWhenPublished(ada, { ...ada, name: "Bea" }));
  const merged = withLiveFields({ ...ada, name: "Bea" }, live);
  assert.deepEqual(merged, {
    ...ada,
    name: "Bea",
    status: "disabled",
    sipTrunkId: "t",
    ...links,
  });
});

test("a document of an older release is upgraded: fields that it lacks get their defaults", () => {
  const { voiceSpeed: _voiceSpeed, phoneNumbers: _numbers, customTools: _tools, ...older } = ada;
  assert.deepEqual(liftDocument({ ...older, schemaVersion: 1 }), ada);
});

test("a schema version identifies one set of fields", () => {
  const paths = (table: FieldTable, prefix = ""): string[] =>
    Object.entries(table).flatMap(([name, field]) => {
      const path = `${prefix}${name}`;
      if ("items" in field) return [path, ...paths(field.items, `${path}.`)];
      return "fields" in field ? [path, ...paths(field.fields, `${path}.`)] : [path];
    });
  const fields = [...paths(agentFields), ...paths(customToolFields, "customTools.")].sort();
  const fingerprint = createHash("sha256").update(fields.join()).digest("hex").slice(0, 16);
  // If this fails: raise SCHEMA_VERSION, and add an upgrader (`(document) => document` if fields were only added).
  assert.deepEqual([SCHEMA_VERSION, fingerprint], [6, "3219d30c5e1a547d"]);
});

test("groups with new fields keep their earlier values", () => {
  const { limits: _limits, ...widgetConfig } = { ...ada.widgetConfig, enabled: true };
  const lifted = liftDocument({ ...ada, widgetConfig, schemaVersion: 1 });
  assert.deepEqual(lifted.widgetConfig, { ...ada.widgetConfig, enabled: true });
});
