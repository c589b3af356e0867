import assert from "node:assert/strict";
import { test } from "node:test";
import { listLocalVoices, type VoiceSettings } from "./local-voice.rules.ts";

const settingsOf = (provider: "local" | "elevenlabs", hasTextToSpeech: boolean): VoiceSettings => ({
  textToSpeech: { provider },
  providerAccess: provider === "local" ? {} : { elevenlabs: { baseUrl: "https://voices.example" } },
  localSpeech: { hasSpeechToText: true, hasTextToSpeech },
});

const choose = (voiceId: string, fallbackVoiceId?: string, language = "en") => ({
  voiceId,
  fallbackVoiceId,
  language,
});

test("agents use the voices that they name, and no others", () => {
  const agents = [choose("dittli/male"), choose("dittli/male"), choose("dittli/male", "kokoro/am_adam")];
  assert.deepEqual(listLocalVoices(agents.slice(0, 2), settingsOf("local", true)), ["dittli/male"]);
  assert.deepEqual(listLocalVoices(agents, settingsOf("local", true)), ["dittli/male", "kokoro/am_adam"]);
});

test("an agent without a voice uses the default one, and in English its fallback", () => {
  assert.deepEqual(listLocalVoices([choose("")], settingsOf("local", true)), ["", "dittli/male"]);
  assert.deepEqual(listLocalVoices([choose("", undefined, "de")], settingsOf("local", true)), [""]);
});

test("without agents the voices of the first one are expected", () => {
  assert.deepEqual(listLocalVoices([], settingsOf("local", true)), ["", "dittli/male"]);
});

test("beside a vendor's voice the default local one is used as its fallback, if local voices are enabled", () => {
  assert.deepEqual(listLocalVoices([choose(""), choose("elevenlabs/any")], settingsOf("elevenlabs", true)), [
    "",
  ]);
  assert.deepEqual(listLocalVoices([choose("")], settingsOf("elevenlabs", false)), []);
  assert.deepEqual(listLocalVoices([choose("dittli/male")], settingsOf("elevenlabs", true)), ["dittli/male"]);
});
