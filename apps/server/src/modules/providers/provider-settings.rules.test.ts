import assert from "node:assert/strict";
import { test } from "node:test";
import { type AgentConfiguration, agentFields, mergeFields } from "@parley/contract";
import {
  modelProviderIds,
  modelProviderKind,
  recognizerIds,
  voiceProviderIds,
  voiceProviderKind,
} from "@parley/providers/registry";
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
});

test("what is stored does not block other changes, and another model is checked against all of it", () => {
  const stored = { ...standard, llmTemperature: 1.5, runtimeConfig: { seed: 1 } };
  assert.deepEqual(problemsOf(KEYS, { name: "Bea" }, stored), []);
  const environment = { OPENAI_API_KEY: "key", ANTHROPIC_API_KEY: "key" };
  assert.equal(problemsOf(environment, { llmModel: "anthropic/claude-haiku-4-5" }, stored).length, 2);
});

test("without a language model its settings are refused, and the reason says how to get one", () => {
  const change = {
    llmTemperature: 0.2,
    llmReasoningEffort: "low",
    runtimeConfig: { seed: 1 },
  } as const satisfies Partial<AgentConfiguration>;
  const problems = problemsOf({}, change);
  assert.deepEqual(
    problems.map((problem) => problem.split(" ")[0]),
    ["llmTemperature", "llmReasoningEffort", "runtimeConfig.seed"],
  );
  for (const problem of problems)
    assert.match(problem, /the built-in responder.*\. No language model is configured: GET \/models/);
  // What was stored with a model stays without one, and can be taken back.
  const stored = { ...standard, ...change };
  assert.deepEqual(problemsOf({}, { name: "Bea" }, stored), []);
  const back = { llmTemperature: 0.7, llmReasoningEffort: "none", runtimeConfig: {} } as const;
  assert.deepEqual(problemsOf({}, back, stored), []);
});

/** All providers, so that each choice of a voice or a model is configured. */
const EVERY_KEY = {
  ELEVENLABS_API_KEY: "key",
  CARTESIA_API_KEY: "key",
  DEEPGRAM_API_KEY: "key",
  OPENAI_API_KEY: "key",
  ANTHROPIC_API_KEY: "key",
  GEMINI_API_KEY: "key",
  OLLAMA_BASE_URL: "http://127.0.0.1:11434/v1",
};

const pathsOf = (problems: readonly string[]): string[] =>
  problems.map((problem) => problem.split(" ")[0] ?? "");

test("each setting of a voice is taken or refused with every provider", () => {
  const change = { voiceTemperature: 0.2, voiceTopP: 0.5, voiceSpeed: 2, voiceVolume: 0.5 };
  const sttKeyterms = ["Parley"];
  const refused: Readonly<Record<string, readonly string[]>> = {
    cartesia: ["voiceTemperature", "voiceTopP"],
    deepgram: ["voiceTemperature", "voiceTopP"],
    elevenlabs: ["voiceTopP"],
    openai: ["voiceTemperature", "voiceTopP"],
  };
  assert.deepEqual(Object.keys(refused), voiceProviderIds.toSorted());
  for (const provider of voiceProviderIds) {
    const voiceId = `${provider}/${voiceProviderKind(provider).defaultVoice}`;
    const problems = problemsOf(EVERY_KEY, { ...change, voiceId, sttKeyterms });
    assert.deepEqual(pathsOf(problems), refused[provider], provider);
  }
  const local = problemsOf({}, { ...change, voiceId: "kokoro/af_heart", sttKeyterms });
  assert.deepEqual(pathsOf(local), ["voiceTemperature", "voiceTopP"]);
  for (const provider of recognizerIds)
    assert.deepEqual(problemsOf({ ...EVERY_KEY, PARLEY_STT: provider }, { sttKeyterms }), [], provider);
});

test("each setting of a language model is taken or refused with every provider", () => {
  const runtimeConfig = {
    maxOutputTokens: 100,
    topP: 0.5,
    topK: 5,
    frequencyPenalty: 1,
    presencePenalty: 1,
    seed: 1,
    stopSequences: ["END"],
  };
  const change = { llmTemperature: 1.5, llmReasoningEffort: "low", runtimeConfig } as const;
  const refused: Readonly<Record<string, readonly string[]>> = {
    anthropic: [
      "llmTemperature",
      "runtimeConfig.topP",
      "runtimeConfig.frequencyPenalty",
      "runtimeConfig.presencePenalty",
      "runtimeConfig.seed",
    ],
    google: [],
    ollama: ["runtimeConfig.topK"],
    "openai-compatible": ["llmReasoningEffort", "runtimeConfig.topK"],
  };
  assert.deepEqual(Object.keys(refused), modelProviderIds.toSorted());
  for (const provider of modelProviderIds) {
    const llmModel = `${provider}/${modelProviderKind(provider).defaultModel ?? "llama3.2"}`;
    assert.deepEqual(pathsOf(problemsOf(EVERY_KEY, { ...change, llmModel })), refused[provider], provider);
  }
  assert.deepEqual(pathsOf(problemsOf({ PARLEY_LLM_GGUF: "/m.gguf" }, change)), [
    "llmReasoningEffort",
    "runtimeConfig.frequencyPenalty",
    "runtimeConfig.presencePenalty",
  ]);
});
