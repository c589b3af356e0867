import assert from "node:assert/strict";
import { test } from "node:test";
import { parseConfig } from "../../platform/config/config.ts";
import { withOwnAccess } from "./provider-settings.rules.ts";

const at = (host: string) => ({ baseUrl: `https://${host}`, apiKey: "own" });

function settingsWith(variables: Record<string, string>, own: Parameters<typeof withOwnAccess>[1]) {
  const { speechToText, textToSpeech, languageModel, providerAccess } = withOwnAccess(
    parseConfig(variables).config,
    own,
  );
  return { stt: speechToText.provider, tts: textToSpeech.provider, llm: languageModel, providerAccess };
}

test("a key of its own replaces the operator's for the same provider, whose choices stay", () => {
  const operator = {
    PARLEY_STT: "deepgram",
    DEEPGRAM_API_KEY: "operator",
    OPENAI_API_KEY: "operator",
  };
  const { stt, llm, providerAccess } = settingsWith(operator, { deepgram: at("own"), anthropic: at("a") });
  assert.deepEqual([stt, llm.provider], ["deepgram", "openai-compatible"]);
  assert.equal(providerAccess.deepgram?.apiKey, "own");
  assert.equal(providerAccess["openai-compatible"]?.apiKey, "operator");
  assert.equal(providerAccess.anthropic?.apiKey, "own");
});

test("where the operator has only local speech and no model, the organization's own are used", () => {
  const { stt, tts, llm } = settingsWith({}, { deepgram: at("d"), "openai-compatible": at("o") });
  assert.deepEqual([stt, tts], ["deepgram", "local"]);
  assert.deepEqual(llm, { provider: "openai-compatible", model: "gpt-4o-mini" });
});

test("a key for voices alone changes neither recognition nor the model", () => {
  const { stt, llm } = settingsWith({}, { elevenlabs: at("e") });
  assert.deepEqual([stt, llm.provider], ["local", "builtin-responder"]);
});
