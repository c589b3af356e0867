import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseSpeechFit, connectInference, type SpeechFit } from "@parley/providers/local";
import type { ProviderConfiguration } from "./provider-configuration.ts";
import { createVoices } from "./speech-providers.ts";

const FAST = chooseSpeechFit({ "kokoro-1": 0.57, "kokoro-2": 0.34, dittli: 0.04 }, 2);
const SLOW = chooseSpeechFit({ "kokoro-1": 1.03, "kokoro-2": 1.1, dittli: 0.08 }, 2);

function voicesWith(
  fit: SpeechFit,
  textToSpeech: ProviderConfiguration["textToSpeech"] = { provider: "local" },
) {
  const configuration = {
    textToSpeech,
    localSpeech: { hasSpeechToText: true, hasTextToSpeech: true },
    speechToText: { provider: "local" },
    languageModel: { provider: "builtin-responder" },
  } as const;
  const inference = connectInference({ path: "/nowhere" });
  const voicesFor = createVoices(configuration, inference, () => fit, []);
  return (voiceId: string, fallbackVoiceId?: string, language = "en-US") =>
    voicesFor({ voiceId, fallbackVoiceId, language });
}

const idsOf = (voices: ReturnType<ReturnType<typeof voicesWith>>): string[] =>
  voices.map(({ tts, voice }) => `${tts.name}:${voice}`);

test("the fast voice is the fallback of the default one, and has none if it is the default", () => {
  assert.deepEqual(idsOf(voicesWith(FAST)("")), ["local:kokoro/af_heart", "local:dittli/male"]);
  assert.deepEqual(idsOf(voicesWith(SLOW)("")), ["local:dittli/male"]);
});

test("an agent has the voice and the fallback that it names", () => {
  assert.deepEqual(idsOf(voicesWith(SLOW)("kokoro/am_adam")), ["local:kokoro/am_adam"]);
  assert.deepEqual(idsOf(voicesWith(FAST)("", "kokoro/am_adam")), [
    "local:kokoro/af_heart",
    "local:kokoro/am_adam",
  ]);
});

test("an agent's voice that its vendor has deleted is replaced by the one it names, then by the vendor's default", () => {
  const vendor = { provider: "elevenlabs", apiKey: "key" } as const;
  const idsWith = (fallbackVoiceId?: string, language?: string): string[] =>
    idsOf(voicesWith(FAST, vendor)("elevenlabs/any", fallbackVoiceId, language)).map(
      (id) => id.split(":")[1] ?? "",
    );
  const standard = "21m00Tcm4TlvDq8ikWAM";
  assert.deepEqual(idsWith("elevenlabs/other"), ["any", "other", standard]);
  assert.deepEqual(idsWith(undefined, "de"), ["any", standard]);
  assert.deepEqual(idsWith(`elevenlabs/${standard}`), ["any", standard]);
  assert.deepEqual(idsWith(), ["any", "kokoro/af_heart"]);
});

test("the default voice is the fallback of a vendor's", () => {
  const vendor = { provider: "elevenlabs", apiKey: "key" } as const;
  assert.equal(idsOf(voicesWith(SLOW, vendor)("")).at(-1), "local:dittli/male");
  assert.equal(idsOf(voicesWith(FAST, vendor)("elevenlabs/any")).at(-1), "local:kokoro/af_heart");
});
