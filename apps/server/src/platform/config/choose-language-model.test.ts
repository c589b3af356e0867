import assert from "node:assert/strict";
import test from "node:test";
import { chooseLanguageModel } from "./choose-language-model.ts";

const standard = {
  provider: "openai-compatible",
  baseUrl: "https://llm.example/v1",
  apiKey: "secret",
  model: "small",
} as const;

test("an agent's model is another of the operator's provider", () => {
  const chosen = chooseLanguageModel(standard, "openai-compatible/vendor/large");
  assert.deepEqual(chosen, { ...standard, model: "vendor/large" });
});

test("the standard, a provider that is not configured and a missing name leave the operator's model", () => {
  for (const name of ["service-standard", "elsewhere/large", "openai-compatible/", "openai-compatible"]) {
    assert.equal(chooseLanguageModel(standard, name), standard);
  }
  const builtin = { provider: "builtin-responder" } as const;
  assert.equal(chooseLanguageModel(builtin, "builtin-responder/x"), builtin);
});
