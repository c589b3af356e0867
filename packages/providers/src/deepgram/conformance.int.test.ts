import { conformsAsSpeechToText, HEARD_TEXT } from "../testing/conformance/speech-to-text.ts";
import { startScriptedDeepgram } from "../testing/index.ts";
import { createDeepgramSpeechToText } from "./deepgram.ts";

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
