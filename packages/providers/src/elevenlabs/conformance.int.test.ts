import { conformsAsTextToSpeech } from "../testing/conformance/text-to-speech.ts";
import { startScriptedElevenLabs } from "../testing/index.ts";
import { createElevenLabsTextToSpeech } from "./elevenlabs.ts";

conformsAsTextToSpeech("elevenlabs", {
  startServer: async (script) =>
    await startScriptedElevenLabs({ ...script, latencyMs: 5, realTimeFactor: 50 }),
  connect: ({ baseUrl, apiKey, deadlineMs }) =>
    createElevenLabsTextToSpeech({
      baseUrl,
      apiKey,
      connectTimeoutMs: deadlineMs,
      audioTimeoutMs: deadlineMs,
      silenceTimeoutMs: deadlineMs,
    }),
  nonsense: { after: 1, outcome: "skipped" },
});
