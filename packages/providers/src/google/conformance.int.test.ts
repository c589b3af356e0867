import { conformsAsLanguageModel, REPLY_TEXT, TOOL_CALL } from "../testing/conformance/language-model.ts";
import { startScriptedGoogle } from "../testing/index.ts";
import { createGoogleModel } from "./google.ts";

conformsAsLanguageModel("google", {
  startServer: async (script) =>
    await startScriptedGoogle({
      ...script,
      betweenChunksMs: 2,
      reply: ({ tools }) =>
        tools.includes(TOOL_CALL.name) ? { toolCalls: [TOOL_CALL] } : { text: REPLY_TEXT },
    }),
  connect: ({ baseUrl, apiKey, deadlineMs }) =>
    createGoogleModel({
      baseUrl,
      apiKey,
      model: "gemini-2.5-flash-lite",
      connectTimeoutMs: deadlineMs,
      firstByteTimeoutMs: deadlineMs,
      betweenChunksTimeoutMs: deadlineMs,
    }),
  nonsense: { after: 1, outcome: "failed" },
});
