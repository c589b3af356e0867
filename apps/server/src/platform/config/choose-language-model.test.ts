import assert from "node:assert/strict";
import test from "node:test";
import { chooseLanguageModel } from "./choose-language-model.ts";

const languageModel = { provider: "openai-compatible", model: "small" } as const;
const access = { baseUrl: "https://llm.example/v1", apiKey: "secret" };
const settings = { languageModel, providerAccess: { "openai-compatible": access } };

test("an agent can use another model of the operator's provider", () => {
  const chosen = chooseLanguageModel(settings, "openai-compatible/vendor/large");
  assert.deepEqual(chosen, { ...languageModel, model: "vendor/large" });
});

test("service-standard, an unconfigured provider and a missing name select the operator's model", () => {
  for (const name of ["service-standard", "other/large", "openai-compatible/", "openai-compatible"]) {
    assert.equal(chooseLanguageModel(settings, name), languageModel);
  }
  const builtin = { provider: "builtin-responder" } as const;
  const none = { languageModel: builtin, providerAccess: {} };
  assert.equal(chooseLanguageModel(none, "openai-compatible/x"), builtin);
});
