import type { IncomingMessage, ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { isObject } from "../http/is-object.ts";
import type { ScriptedFault } from "./scripted-fault.ts";
import { ScriptedReply } from "./scripted-reply.ts";
import { ScriptedHost, monotonicMs, type ScriptedServer } from "./scripted-server.ts";

export interface ScriptedChatRequest {
  model: string;
  messages: { role: string; content: string }[];
  tools: string[];
  /** `response_format.type`, and the schema of `json_schema`. */
  responseFormat: { type: string; schema: unknown } | undefined;
  /** The last user message, or an empty string. */
  lastUserText: string;
}

export interface ScriptedChatReply {
  text?: string;
  /** Text with which the model refuses to answer. */
  refusal?: string;
  toolCalls?: { name: string; input: Record<string, unknown> }[];
}

export interface ScriptedOpenAiOptions {
  /** If set, other keys are refused with 401. */
  apiKey?: string;
  reply: (request: ScriptedChatRequest, index: number) => ScriptedChatReply;
  /** From the request to the first token. */
  firstTokenDelayMs?: number;
  /** Interval between two chunks of one word each. */
  betweenChunksMs?: number;
  fault?: (index: number) => ScriptedFault | undefined;
  /** Models that `GET /models` lists. Default: it does not list them. */
  models?: () => readonly string[];
}

/** A server that speaks OpenAI's streamed chat completions; its `url` is the base URL without `/v1`. */
export async function startScriptedOpenAi(options: ScriptedOpenAiOptions): Promise<ScriptedServer> {
  let requests = 0;
  const host: ScriptedHost = new ScriptedHost((request, response) => {
    if (request.method === "GET") return listModels(options, request, response);
    const index = requests++;
    const reply = new ScriptedReply(host, request, response, options.fault?.(index));
    answer(host, options, index, reply).catch(() => response.destroy());
  });
  return await host.start();
}

function listModels(
  { apiKey, models }: ScriptedOpenAiOptions,
  { headers, url = "" }: IncomingMessage,
  response: ServerResponse,
): void {
  response.setHeader("content-type", "application/json");
  const isRight = apiKey === undefined || headers.authorization === `Bearer ${apiKey}`;
  if (!isRight) return void response.writeHead(401).end("{}");
  if (models === undefined || !url.endsWith("/models")) return void response.writeHead(404).end("{}");
  response.end(JSON.stringify({ object: "list", data: models().map((id) => ({ id, object: "model" })) }));
}

async function answer(
  host: ScriptedHost,
  options: ScriptedOpenAiOptions,
  index: number,
  reply: ScriptedReply,
): Promise<void> {
  const { request } = reply;
  const receivedAtMs = monotonicMs();
  const body = await json(request);
  const chat = readChatRequest(body);
  const header = request.headers["x-conversation-id"];
  const exchange = host.receive(typeof header === "string" ? header : chat.lastUserText);
  exchange.receivedAtMs = receivedAtMs;
  if (reply.refuses(options.apiKey)) return;
  for (const [position, chunk] of toChunks(options.reply(chat, index), chat.model).entries()) {
    const isSent = await reply.send(chunk, {
      delayMs: (position === 0 ? options.firstTokenDelayMs : options.betweenChunksMs) ?? 0,
      contentType: "text/event-stream",
      nonsense: { chunk: 'data: {"choices":[{"delta"\n\n', contentType: "text/event-stream" },
      exchange,
    });
    if (!isSent) return;
    exchange.chunksAtMs.push(monotonicMs());
  }
  reply.end();
}

function readChatRequest(body: unknown): ScriptedChatRequest {
  const { model, messages, tools, response_format: format } = isObject(body) ? body : {};
  const read = (Array.isArray(messages) ? messages : []).filter(isObject).map((message) => ({
    role: String(message["role"]),
    content:
      typeof message["content"] === "string" ? message["content"] : JSON.stringify(message["content"] ?? ""),
  }));
  const functions = (Array.isArray(tools) ? tools : []).filter(isObject).map((tool) => tool["function"]);
  return {
    model: String(model),
    messages: read,
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

  const words = reply.text?.match(/\S+\s*/g) ?? [];
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
