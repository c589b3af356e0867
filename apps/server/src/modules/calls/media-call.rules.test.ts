import assert from "node:assert/strict";
import { test } from "node:test";
import { createDocument } from "../agents/agent-document.rules.ts";
import { toMediaCall } from "./media-call.rules.ts";

test("prompt and first message have their variables filled in, unknown names are told once", () => {
  const document = createDocument("Robin", {
    promptTemplate: "You serve {{shop}}. {{nothing}}",
    firstMessage: "Welcome to {{shop}}! {{nothing}}",
  });
  const { call, unknownVariables } = toMediaCall("id", document, { shop: "Miller" });
  assert.equal(call.instructions, "You serve Miller. ");
  assert.equal(call.agent.firstMessage, "Welcome to Miller! ");
  assert.deepEqual(unknownVariables, ["nothing"]);
});

test("the voice that takes over is the document's, where it names one", () => {
  const document = createDocument("Robin", { fallbackVoiceId: "kokoro/bm_george" });
  assert.equal(toMediaCall("id", document, {}).call.fallbackVoiceId, "kokoro/bm_george");
  assert.equal(toMediaCall("id", createDocument("Robin", {}), {}).call.fallbackVoiceId, undefined);
});

test("an agent that may not hang up has no way to", () => {
  const { call } = toMediaCall("id", createDocument("Robin", { endCallEnabled: false }), {});
  assert.equal(call.endCall, undefined);
});

test("rules for hanging up replace the built-in ones", () => {
  const document = createDocument("Robin", { endCallRulesOverride: "Only after thanks." });
  assert.deepEqual(toMediaCall("id", document, {}).call.endCall, { rules: "Only after thanks." });
  assert.deepEqual(toMediaCall("id", createDocument("Robin", {}), {}).call.endCall, {});
});
