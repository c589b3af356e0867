import assert from "node:assert/strict";
import test from "node:test";
import { chooseLanguageModel } from "./choose-language-model.ts";

const standard = {
  provider: "openai-compatible",
  baseUrl: "https://llm.example/v1",
  apiKey: "secret",
  model: "small",
} as const;

test("an agent can use another model of the operator's provider", () => {
  const chosen = chooseLanguageModel(standard, "openai-compatible/vendor/large");
  assert.deepEqual(chosen, { ...standard, model: "vendor/large" });
});

test("service-standard, an unconfigured provider and a missing name select the operator's model", () => {
  for (const name of ["service-standard", "other/large", "openai-compatible/", "openai-compatible"]) {
    assert.equal(chooseLanguageModel(standard, name), standard);
  }
  const builtin = { provider: "builtin-responder" } as const;
  assert.equal(chooseLanguageModel(builtin, "builtin-responder/x"), builtin);
});
