import { conformsAsSpeechToText, HEARD_TEXT } from "../testing/conformance/speech-to-text.ts";
import { startScriptedDeepgram } from "../testing/index.ts";
import { conformsAsTextToSpeech } from "../testing/conformance/text-to-speech.ts";
import { createDeepgramSpeechToText } from "./deepgram.ts";
import { createDeepgramTextToSpeech } from "./text-to-speech.ts";

conformsAsSpeechToText("deepgram", {
  startServer: async (script) =>
    await startScriptedDeepgram({
      ...script,
      utterance: () => HEARD_TEXT,
      interimEveryMs: 200,
      latencyMs: 10,
    }),
  connect: ({ baseUrl, apiKey, deadlineMs }) =>
    createDeepgramSpeechToText({
      baseUrl,
      apiKey,
      connectTimeoutMs: deadlineMs,
      silenceTimeoutMs: deadlineMs,
    }),
  nonsense: { after: 0, outcome: "skipped" },
  stallAfterText: "answered",
});

conformsAsTextToSpeech("deepgram speech", {
  startServer: async (script) => await startScriptedDeepgram({ ...script, latencyMs: 5, realTimeFactor: 50 }),
  connect: ({ baseUrl, apiKey, deadlineMs }) =>
    createDeepgramTextToSpeech({
      baseUrl,
      apiKey,
      connectTimeoutMs: deadlineMs,
      firstByteTimeoutMs: deadlineMs,
      betweenChunksTimeoutMs: deadlineMs,
    }),
  nonsense: { after: 0, outcome: "failed" },
});
