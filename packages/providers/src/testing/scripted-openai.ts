import { isObject } from "../http/is-object.ts";
import {
  type ChatWire,
  type ScriptedChatOptions,
  type ScriptedChatReply,
  type ScriptedChatRequest,
  startScriptedChat,
  wordsOf,
} from "./scripted-chat.ts";
import type { ScriptedServer } from "./scripted-server.ts";

/** A server that speaks OpenAI's streamed chat completions; its `url` is the base URL without `/v1`. */
export async function startScriptedOpenAi(options: ScriptedChatOptions): Promise<ScriptedServer> {
  return await startScriptedChat(OPENAI, options);
}

const OPENAI: ChatWire = {
  keyOf: ({ headers }) => headers.authorization?.replace(/^Bearer /, ""),
  listsModelsAt: (path) => path.endsWith("/models"),
  toModelList: (names) => ({ object: "list", data: names.map((id) => ({ id, object: "model" })) }),
  readRequest: readChatRequest,
  toChunks,
  nonsense: 'data: {"choices":[{"delta"\n\n',
};

function readChatRequest(body: Readonly<Record<string, unknown>>): ScriptedChatRequest {
  const { model, messages, tools, response_format: format } = body;
  const read = (Array.isArray(messages) ? messages : []).filter(isObject).map((message) => ({
    role: String(message["role"]),
    content:
      typeof message["content"] === "string" ? message["content"] : JSON.stringify(message["content"] ?? ""),
  }));
  const functions = (Array.isArray(tools) ? tools : []).filter(isObject).map((tool) => tool["function"]);
  return {
    model: String(model),
    messages: read,
    body,
    responseFormat: isObject(format)
      ? {
          type: String(format["type"]),
          schema: isObject(format["json_schema"]) ? format["json_schema"]["schema"] : undefined,
        }
      : undefined,
    tools: functions.filter(isObject).map((each) => String(each["name"])),
    lastUserText: read.findLast((message) => message.role === "user")?.content ?? "",
  };
}

/**
 * The reply as server-sent events: one word per chunk, tool arguments in two pieces, finish reason, usage, `[DONE]`.
 */
function toChunks(reply: ScriptedChatReply, model: string): string[] {
  const event = (choices: unknown[], more: Record<string, unknown> = {}): string =>
    `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model, choices, ...more })}\n\n`;
  const delta = (value: Record<string, unknown>, finishReason: string | null = null): string =>
    event([{ index: 0, delta: value, finish_reason: finishReason }]);

  const words = wordsOf(reply.text);
  const calls = reply.toolCalls ?? [];
  const [first = "", ...rest] = words;
  return [
    delta({ role: "assistant", content: first }),
    ...rest.map((content) => delta({ content })),
    ...(reply.refusal === undefined ? [] : [delta({ refusal: reply.refusal })]),
    ...calls.flatMap(({ name, input }, index) => {
      const text = JSON.stringify(input);
      const half = Math.ceil(text.length / 2);
      const start = {
        index,
        id: `call_${index}`,
        type: "function",
        function: { name, arguments: text.slice(0, half) },
      };
      return [
        delta({ tool_calls: [start] }),
        delta({ tool_calls: [{ index, function: { arguments: text.slice(half) } }] }),
      ];
    }),
    delta({}, calls.length > 0 ? "tool_calls" : "stop"),
    event([], {
      usage: { prompt_tokens: 1, completion_tokens: words.length, total_tokens: words.length + 1 },
    }),
    "data: [DONE]\n\n",
  ];
}
