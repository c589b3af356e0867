import assert from "node:assert/strict";
import { test } from "node:test";
import { type AgentConfiguration, agentFields, mergeFields } from "@parley/contract";
import { parseConfig } from "../../platform/config/config.ts";
import { findSettingProblems } from "./provider-settings.rules.ts";

const standard = mergeFields(agentFields, undefined, { name: "Ada" });
const KEYS = { ELEVENLABS_API_KEY: "key", CARTESIA_API_KEY: "key", ANTHROPIC_API_KEY: "key" };

function problemsOf(
  environment: Readonly<Record<string, string>>,
  change: Partial<AgentConfiguration>,
  before: AgentConfiguration = standard,
): string[] {
  const { config } = parseConfig(environment);
  return findSettingProblems(config, { ...before, ...change }, before).map(
    ({ path, message }) => `${path} ${message}`,
  );
}

test("the variation of a voice is accepted where its provider has it, and refused with the reason elsewhere", () => {
  const lively = { voiceTemperature: 0.9 };
  assert.deepEqual(problemsOf(KEYS, { ...lively, voiceId: "elevenlabs/rachel" }), []);
  assert.deepEqual(problemsOf(KEYS, { ...lively, voiceId: "cartesia/katie" }), [
    "voiceTemperature must be 0.7: the voices of Cartesia do not have this setting",
  ]);
  assert.deepEqual(problemsOf({}, lively), [
    "voiceTemperature must be 0.7: the voices of this server do not have this setting",
  ]);
  const stored = { ...standard, ...lively, voiceId: "elevenlabs/rachel" };
  assert.deepEqual(problemsOf(KEYS, { name: "Bea" }, stored), []);
  assert.equal(problemsOf(KEYS, { voiceId: "cartesia/katie" }, stored).length, 1);
  assert.match(
    problemsOf(KEYS, { voiceTopP: 0.5, voiceId: "elevenlabs/rachel" })[0] ?? "",
    /^voiceTopP must be 1/,
  );
});

test("a model's settings are refused where they would be ignored or fail", () => {
  const claude = { llmModel: "anthropic/claude-haiku-4-5" };
  assert.deepEqual(problemsOf(KEYS, { ...claude, llmTemperature: 1, runtimeConfig: { topK: 5 } }), []);
  assert.deepEqual(problemsOf(KEYS, { ...claude, llmTemperature: 1.5, runtimeConfig: { seed: 1 } }), [
    "llmTemperature must be at most 1 with Anthropic with claude-haiku-4-5",
    "runtimeConfig.seed is not supported by Anthropic with claude-haiku-4-5: remove it",
  ]);
  const openAi = { OPENAI_API_KEY: "key" };
  assert.match(
    problemsOf(openAi, { llmReasoningEffort: "low" })[0] ?? "",
    /^llmReasoningEffort must be none/,
  );
  const reasoning = { llmModel: "openai-compatible/gpt-5-mini", llmReasoningEffort: "low" } as const;
  assert.deepEqual(problemsOf(openAi, reasoning), []);
  assert.match(problemsOf(openAi, { ...reasoning, llmTemperature: 0.2 })[0] ?? "", /takes no temperature/);
  assert.match(
    problemsOf({ PARLEY_LLM_GGUF: "/m.gguf" }, { llmReasoningEffort: "low" })[0] ?? "",
    /model file/,
  );
  assert.deepEqual(problemsOf({}, { llmReasoningEffort: "low", llmTemperature: 2 }), []);
});

test("what is stored does not block other changes, and another model is checked against all of it", () => {
  const stored = { ...standard, llmTemperature: 1.5, runtimeConfig: { seed: 1 } };
  assert.deepEqual(problemsOf(KEYS, { name: "Bea" }, stored), []);
  const environment = { OPENAI_API_KEY: "key", ANTHROPIC_API_KEY: "key" };
  assert.equal(problemsOf(environment, { llmModel: "anthropic/claude-haiku-4-5" }, stored).length, 2);
});
