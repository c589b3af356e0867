import { conformsAsLanguageModel, REPLY_TEXT, TOOL_CALL } from "../testing/conformance/language-model.ts";
import { startScriptedAnthropic } from "../testing/index.ts";
import { createAnthropicModel } from "./anthropic.ts";

conformsAsLanguageModel("anthropic", {
  startServer: async (script) =>
    await startScriptedAnthropic({
      ...script,
      betweenChunksMs: 2,
      reply: ({ tools }) =>
        tools.includes(TOOL_CALL.name) ? { toolCalls: [TOOL_CALL] } : { text: REPLY_TEXT },
    }),
  connect: ({ baseUrl, apiKey, deadlineMs }) =>
    createAnthropicModel({
      baseUrl,
      apiKey,
      model: "claude-haiku-4-5",
      connectTimeoutMs: deadlineMs,
      firstByteTimeoutMs: deadlineMs,
      betweenChunksTimeoutMs: deadlineMs,
    }),
  nonsense: { after: 1, outcome: "failed" },
});
