import { conformsAsLanguageModel, REPLY_TEXT, TOOL_CALL } from "../testing/conformance/language-model.ts";
import { conformsAsSpeechToText, HEARD_TEXT } from "../testing/conformance/speech-to-text.ts";
import { conformsAsTextToSpeech } from "../testing/conformance/text-to-speech.ts";
import { startScriptedOpenAi, startScriptedOpenAiSpeech } from "../testing/index.ts";
import { createOpenAiCompatibleModel } from "./openai-compatible.ts";
import { createOpenAiSpeechToText } from "./speech-to-text.ts";
import { createOpenAiTextToSpeech } from "./text-to-speech.ts";

conformsAsLanguageModel("openai model", {
  startServer: async (script) =>
    await startScriptedOpenAi({
      ...script,
      betweenChunksMs: 2,
      reply: ({ tools }) =>
        tools.includes(TOOL_CALL.name) ? { toolCalls: [TOOL_CALL] } : { text: REPLY_TEXT },
    }),
  connect: ({ baseUrl, apiKey, deadlineMs }) =>
    createOpenAiCompatibleModel({
      baseUrl: `${baseUrl}/v1`,
      apiKey,
      model: "scripted",
      connectTimeoutMs: deadlineMs,
      firstByteTimeoutMs: deadlineMs,
      betweenChunksTimeoutMs: deadlineMs,
    }),
  nonsense: { after: 1, outcome: "failed" },
});

for (const format of ["pcm", "wav"] as const) {
  conformsAsTextToSpeech(`openai speech (${format})`, {
    startServer: async (script) =>
      await startScriptedOpenAiSpeech({ ...script, latencyMs: 5, realTimeFactor: 50, format }),
    connect: ({ baseUrl, apiKey, deadlineMs }) =>
      createOpenAiTextToSpeech({
        baseUrl: `${baseUrl}/v1`,
        apiKey,
        connectTimeoutMs: deadlineMs,
        firstByteTimeoutMs: deadlineMs,
        betweenChunksTimeoutMs: deadlineMs,
      }),
    nonsense: { after: 0, outcome: "failed" },
  });
}

conformsAsSpeechToText("openai transcription", {
  startServer: async (script) =>
    await startScriptedOpenAiSpeech({ ...script, utterance: () => HEARD_TEXT, latencyMs: 10 }),
  connect: ({ baseUrl, apiKey, deadlineMs }) =>
    createOpenAiSpeechToText({
      baseUrl: `${baseUrl}/v1`,
      apiKey,
      connectTimeoutMs: deadlineMs,
      answerTimeoutMs: deadlineMs,
    }),
  nonsense: { after: 0, outcome: "failed" },
  stallAfterText: "failed",
});
