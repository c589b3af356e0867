import assert from "node:assert/strict";
import test from "node:test";
import { agentDefaults } from "@parley/contract";
import { changeDocument, createDocument, readDocument } from "./agent-document.rules.ts";

test("a new document has every field, from the change or the defaults", () => {
  const document = createDocument("Ada", { voiceSpeed: 1.5, firstMessage: null });
  assert.deepEqual(document, {
    schemaVersion: 1,
    name: "Ada",
    ...agentDefaults,
    customTools: [],
    voiceSpeed: 1.5,
  });
});

test("in a change what is absent stays and null becomes the default", () => {
  const document = createDocument("Ada", {
    voiceSpeed: 1.5,
    sttKeyterms: ["Parley"],
    defaultVariables: { a: "1" },
  });
  const changed = changeDocument(document, { voiceSpeed: null, defaultVariables: { b: "2" } });
  assert.equal(changed.voiceSpeed, agentDefaults.voiceSpeed);
  assert.deepEqual(changed.sttKeyterms, ["Parley"]);
  assert.deepEqual(changed.defaultVariables, { b: "2" });
  assert.equal(document.voiceSpeed, 1.5);
});

test("a document never shares its lists with the defaults", () => {
  createDocument("Ada", {}).sttKeyterms.push("x");
  changeDocument(createDocument("Ada", {}), { sttKeyterms: null }).sttKeyterms.push("x");
  assert.deepEqual(agentDefaults.sttKeyterms, []);
});

test("what was not sent as configuration stays out of the document", () => {
  const change = { status: "disabled", sipTrunkId: null, id: "x" } as const;
  assert.deepEqual(changeDocument(createDocument("Ada", {}), change), createDocument("Ada", {}));
});

test("a field that an older release did not know has its default when read", () => {
  const { voiceSpeed: _voiceSpeed, ...older } = createDocument("Ada", {});
  assert.equal(readDocument(older).voiceSpeed, 1);
});
