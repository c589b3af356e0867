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
  /** The whole request. */
  body: Readonly<Record<string, unknown>>;
}

export interface ScriptedChatReply {
  text?: string;
  /** Text with which the model refuses to answer. */
  refusal?: string;
  toolCalls?: { name: string; input: Record<string, unknown> }[];
}

export interface ScriptedChatOptions {
  /** If set, other keys are refused with 401. */
  apiKey?: string;
  reply: (request: ScriptedChatRequest, index: number) => ScriptedChatReply;
  /** From the request to the first token. */
  firstTokenDelayMs?: number;
  /** Interval between two chunks of one word each. */
  betweenChunksMs?: number;
  fault?: (index: number) => ScriptedFault | undefined;
  /** Models that the list of models contains. Default: it does not list them. */
  models?: () => readonly string[];
}

/** The wire format of a vendor's chat. */
export interface ChatWire {
  /** The key of a request. */
  keyOf: (request: IncomingMessage) => string | undefined;
  /** Path of the list of models, and its body. */
  listsModelsAt: (path: string) => boolean;
  toModelList: (names: readonly string[]) => object;
  readRequest: (body: Readonly<Record<string, unknown>>, path: string) => ScriptedChatRequest;
  /** The reply as server-sent events, of which the first two contain text. */
  toChunks: (reply: ScriptedChatReply, model: string) => string[];
  /** An event with invalid contents. */
  nonsense: string;
}

/** A server that answers chats by a script, in a vendor's wire format. */
export async function startScriptedChat(
  wire: ChatWire,
  options: ScriptedChatOptions,
): Promise<ScriptedServer> {
  let requests = 0;
  const host: ScriptedHost = new ScriptedHost((request, response) => {
    if (request.method === "GET") return listModels(wire, options, request, response);
    const index = requests++;
    const reply = new ScriptedReply(host, request, response, options.fault?.(index));
    answer(host, wire, options, index, reply).catch(() => response.destroy());
  });
  return await host.start();
}

function listModels(
  { keyOf, listsModelsAt, toModelList }: ChatWire,
  { apiKey, models }: ScriptedChatOptions,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  response.setHeader("content-type", "application/json");
  const isRight = apiKey === undefined || keyOf(request) === apiKey;
  if (!isRight) return void response.writeHead(401).end("{}");
  const { pathname } = new URL(request.url ?? "/", "http://scripted");
  if (models === undefined || !listsModelsAt(pathname)) return void response.writeHead(404).end("{}");
  response.end(JSON.stringify(toModelList(models())));
}

async function answer(
  host: ScriptedHost,
  wire: ChatWire,
  options: ScriptedChatOptions,
  index: number,
  reply: ScriptedReply,
): Promise<void> {
  const { request } = reply;
  const receivedAtMs = monotonicMs();
  const body: unknown = await json(request);
  const { pathname } = new URL(request.url ?? "/", "http://scripted");
  const chat = wire.readRequest(isObject(body) ? body : {}, pathname);
  const header = request.headers["x-conversation-id"];
  const exchange = host.receive(typeof header === "string" ? header : chat.lastUserText);
  exchange.receivedAtMs = receivedAtMs;
  if (reply.refuses(options.apiKey, wire.keyOf(request))) return;
  for (const [position, chunk] of wire.toChunks(options.reply(chat, index), chat.model).entries()) {
    const isSent = await reply.send(chunk, {
      delayMs: (position === 0 ? options.firstTokenDelayMs : options.betweenChunksMs) ?? 0,
      contentType: "text/event-stream",
      nonsense: { chunk: wire.nonsense, contentType: "text/event-stream" },
      exchange,
    });
    if (!isSent) return;
    exchange.chunksAtMs.push(monotonicMs());
  }
  reply.end();
}

/** The words of a text, each with the space after it. */
export function wordsOf(text: string | undefined): string[] {
  return text?.match(/\S+\s*/g) ?? [];
}
