import assert from "node:assert/strict";
import { test } from "node:test";
import { listLocalVoices } from "./local-voice.rules.ts";

const choose = (voiceId: string, fallbackVoiceId?: string, language = "en") => ({
  voiceId,
  fallbackVoiceId,
  language,
});

test("agents use the voices that they name, and no others", () => {
  const agents = [choose("dittli/male"), choose("dittli/male"), choose("dittli/male", "kokoro/am_adam")];
  assert.deepEqual(listLocalVoices(agents.slice(0, 2), "local", true), ["dittli/male"]);
  assert.deepEqual(listLocalVoices(agents, "local", true), ["dittli/male", "kokoro/am_adam"]);
});

test("an agent without a voice uses the default one, and in English its fallback", () => {
  assert.deepEqual(listLocalVoices([choose("")], "local", true), ["", "dittli/male"]);
  assert.deepEqual(listLocalVoices([choose("", undefined, "de")], "local", true), [""]);
});

test("without agents the voices of the first one are expected", () => {
  assert.deepEqual(listLocalVoices([], "local", true), ["", "dittli/male"]);
});

test("beside a vendor's voice the default local one is used as its fallback, if local voices are enabled", () => {
  assert.deepEqual(listLocalVoices([choose(""), choose("elevenlabs/any")], "elevenlabs", true), [""]);
  assert.deepEqual(listLocalVoices([choose("")], "elevenlabs", false), []);
  assert.deepEqual(listLocalVoices([choose("dittli/male")], "elevenlabs", true), ["dittli/male"]);
});
