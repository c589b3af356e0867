import { conformsAsTextToSpeech } from "../testing/conformance/text-to-speech.ts";
import { startScriptedCartesia } from "../testing/index.ts";
import { createCartesiaTextToSpeech } from "./cartesia.ts";

conformsAsTextToSpeech("cartesia", {
  startServer: async (script) => await startScriptedCartesia({ ...script, latencyMs: 5, realTimeFactor: 50 }),
  connect: ({ baseUrl, apiKey, deadlineMs }) =>
    createCartesiaTextToSpeech({
      baseUrl,
      apiKey,
      connectTimeoutMs: deadlineMs,
      audioTimeoutMs: deadlineMs,
      silenceTimeoutMs: deadlineMs,
    }),
  nonsense: { after: 1, outcome: "skipped" },
});
