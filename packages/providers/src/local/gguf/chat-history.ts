import type { LanguageModelV4Message, LanguageModelV4ToolResultPart } from "@ai-sdk/provider";
import type { ChatHistoryItem, ChatModelFunctionCall, ChatModelResponse } from "node-llama-cpp";

/** Converts the prompt for node-llama-cpp's chat wrappers, in which a tool's result is part of the call. */
export function toChatHistory(prompt: readonly LanguageModelV4Message[]): ChatHistoryItem[] {
  const history: ChatHistoryItem[] = [];
  const calls = new Map<string, ChatModelFunctionCall>();
  for (const message of prompt) {
    if (message.role === "system") {
      history.push({ type: "system", text: message.content });
    } else if (message.role === "user") {
      const texts = message.content.map((part) => (part.type === "text" ? part.text : ""));
      history.push({ type: "user", text: texts.join(" ").trim() });
    } else if (message.role === "assistant") {
      const { response } = modelResponse(history);
      for (const part of message.content) {
        if (part.type === "text") response.push(part.text);
        if (part.type !== "tool-call") continue;
        const call: ChatModelFunctionCall = {
          type: "functionCall",
          name: part.toolName,
          params: part.input,
          result: undefined,
        };
        calls.set(part.toolCallId, call);
        response.push(call);
      }
    } else {
      for (const part of message.content) {
        const call = part.type === "tool-result" ? calls.get(part.toolCallId) : undefined;
        if (call !== undefined && part.type === "tool-result") call.result = resultText(part);
      }
    }
  }
  return history;
}

function modelResponse(history: ChatHistoryItem[]): ChatModelResponse {
  const last = history.at(-1);
  if (last?.type === "model") return last;
  const response: ChatModelResponse = { type: "model", response: [] };
  history.push(response);
  return response;
}

function resultText({ output }: LanguageModelV4ToolResultPart): string {
  return "value" in output && typeof output.value === "string" ? output.value : JSON.stringify(output);
}
