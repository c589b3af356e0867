import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseSpeechFit, connectInference, type SpeechFit } from "@parley/providers/local";
import type { ProviderConfiguration } from "./provider-configuration.ts";
import { loadVoices } from "./speech-providers.ts";

const FAST = chooseSpeechFit({ "kokoro-1": 0.57, "kokoro-2": 0.34, dittli: 0.04 }, 2);
const SLOW = chooseSpeechFit({ "kokoro-1": 1.03, "kokoro-2": 1.1, dittli: 0.08 }, 2);

const ELEVENLABS = { baseUrl: "http://127.0.0.1:9", apiKey: "key" };

async function voicesWith(
  fit: SpeechFit,
  textToSpeech: ProviderConfiguration["textToSpeech"] = { provider: "local" },
) {
  const configuration = {
    textToSpeech,
    providerAccess: textToSpeech.provider === "local" ? {} : { elevenlabs: ELEVENLABS },
    localSpeech: { hasSpeechToText: true, hasTextToSpeech: true },
    speechToText: { provider: "local" },
    languageModelFallback: undefined,
    languageModel: { provider: "builtin-responder" },
  } as const;
  const inference = connectInference({ path: "/nowhere" });
  const voicesFor = await loadVoices(configuration, inference, () => fit, []);
  return (voiceId: string, fallbackVoiceId?: string, language = "en-US") =>
    voicesFor({ voiceId, fallbackVoiceId, language });
}

const idsOf = (voices: ReturnType<Awaited<ReturnType<typeof voicesWith>>>): string[] =>
  voices.map(({ tts, voice }) => `${tts.name}:${voice}`);

test("the fast voice is the fallback of the default one, and has none if it is the default", async () => {
  assert.deepEqual(idsOf((await voicesWith(FAST))("")), ["local:kokoro/af_heart", "local:dittli/male"]);
  assert.deepEqual(idsOf((await voicesWith(SLOW))("")), ["local:dittli/male"]);
});

test("an agent has the voice and the fallback that it names", async () => {
  assert.deepEqual(idsOf((await voicesWith(SLOW))("kokoro/am_adam")), ["local:kokoro/am_adam"]);
  assert.deepEqual(idsOf((await voicesWith(FAST))("", "kokoro/am_adam")), [
    "local:kokoro/af_heart",
    "local:kokoro/am_adam",
  ]);
});

test("an agent's voice that its vendor has deleted is replaced by the one it names, then by the vendor's default", async () => {
  const vendor = { provider: "elevenlabs" } as const;
  const voicesFor = await voicesWith(FAST, vendor);
  const idsWith = (fallbackVoiceId?: string, language?: string): string[] =>
    idsOf(voicesFor("elevenlabs/any", fallbackVoiceId, language)).map((id) => id.split(":")[1] ?? "");
  const standard = "21m00Tcm4TlvDq8ikWAM";
  assert.deepEqual(idsWith("elevenlabs/other"), ["any", "other", standard]);
  assert.deepEqual(idsWith(undefined, "de"), ["any", standard]);
  assert.deepEqual(idsWith(`elevenlabs/${standard}`), ["any", standard]);
  assert.deepEqual(idsWith(), ["any", "kokoro/af_heart"]);
});

test("the default voice is the fallback of a vendor's", async () => {
  const vendor = { provider: "elevenlabs" } as const;
  assert.equal(idsOf((await voicesWith(SLOW, vendor))("")).at(-1), "local:dittli/male");
  assert.equal(idsOf((await voicesWith(FAST, vendor))("elevenlabs/any")).at(-1), "local:kokoro/af_heart");
});
