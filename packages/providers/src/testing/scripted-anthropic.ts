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

/** A server that speaks Anthropic's streamed messages (https://docs.claude.com/en/api/messages-streaming). */
export async function startScriptedAnthropic(options: ScriptedChatOptions): Promise<ScriptedServer> {
  return await startScriptedChat(ANTHROPIC, options);
}

const ANTHROPIC: ChatWire = {
  keyOf: ({ headers }) => String(headers["x-api-key"]),
  listsModelsAt: (path) => path === "/v1/models",
  toModelList: (names) => ({
    data: names.map((id) => ({ id, type: "model", display_name: id, created_at: "2026-01-01T00:00:00Z" })),
    has_more: false,
  }),
  readRequest,
  toChunks,
  nonsense: 'event: content_block_delta\ndata: {"type":"content_block_delta","delta"\n\n',
};

function readRequest(body: Readonly<Record<string, unknown>>): ScriptedChatRequest {
  const { model, messages, tools, system } = body;
  const read = (Array.isArray(messages) ? messages : []).filter(isObject).map(({ role, content }) => ({
    role: String(role),
    content: textOf(content),
  }));
  return {
    model: String(model),
    messages: system === undefined ? read : [{ role: "system", content: textOf(system) }, ...read],
    responseFormat: undefined,
    tools: (Array.isArray(tools) ? tools : []).filter(isObject).map(({ name }) => String(name)),
    lastUserText: read.findLast(({ role }) => role === "user")?.content ?? "",
    body,
  };
}

/** The text of blocks; other blocks as JSON. */
function textOf(content: unknown): string {
  if (!Array.isArray(content)) return String(content);
  return content
    .filter(isObject)
    .map((block) => (block["type"] === "text" ? String(block["text"]) : JSON.stringify(block)))
    .join("");
}

function event(value: Record<string, unknown> & { type: string }): string {
  return `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
}

function toChunks({ text, toolCalls = [] }: ScriptedChatReply, model: string): string[] {
  const words = wordsOf(text);
  const message = { id: "msg_1", type: "message", role: "assistant", model, content: [], stop_reason: null };
  const usage = { input_tokens: 1, output_tokens: 1 };
  const start = event({ type: "message_start", message: { ...message, usage } }) + event({ type: "ping" });
  const deltas = words.map((word) =>
    event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: word } }),
  );
  const block = event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } });
  const [first = "", ...others] = deltas;
  const spoken =
    words.length === 0 ? [] : [block + first, ...others, event({ type: "content_block_stop", index: 0 })];
  const calls = toolCalls.flatMap((call, position) =>
    toToolBlock(call, spoken.length === 0 ? position : position + 1),
  );
  const [firstChunk = "", ...rest] = [...spoken, ...calls];
  const reason = toolCalls.length > 0 ? "tool_use" : "end_turn";
  return [
    start + firstChunk,
    ...rest,
    event({
      type: "message_delta",
      delta: { stop_reason: reason, stop_sequence: null },
      usage: { output_tokens: words.length },
    }),
    event({ type: "message_stop" }),
  ];
}

function toToolBlock({ name, input }: { name: string; input: object }, index: number): string[] {
  const json = JSON.stringify(input);
  const half = Math.ceil(json.length / 2);
  const delta = (partial: string): string =>
    event({ type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json: partial } });
  const block = { type: "tool_use", id: `toolu_${index}`, name, input: {} };
  return [
    event({ type: "content_block_start", index, content_block: block }),
    delta(json.slice(0, half)),
    delta(json.slice(half)),
    event({ type: "content_block_stop", index }),
  ];
}
