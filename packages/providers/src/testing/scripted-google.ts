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

/** A server that speaks Gemini's `streamGenerateContent` (https://ai.google.dev/api/generate-content). */
export async function startScriptedGoogle(options: ScriptedChatOptions): Promise<ScriptedServer> {
  return await startScriptedChat(GOOGLE, options);
}

const GOOGLE: ChatWire = {
  keyOf: ({ headers }) => String(headers["x-goog-api-key"]),
  listsModelsAt: (path) => path === "/v1beta/models",
  toModelList: (names) => ({
    models: names.map((name) => ({
      name: `models/${name}`,
      displayName: name,
      supportedGenerationMethods: ["generateContent"],
    })),
  }),
  readRequest,
  toChunks,
  nonsense: 'data: {"candidates":[{"content"\n\n',
};

function readRequest(body: Readonly<Record<string, unknown>>, path: string): ScriptedChatRequest {
  const { contents, tools, systemInstruction } = body;
  const read = (Array.isArray(contents) ? contents : []).filter(isObject).map(({ role, parts }) => ({
    role: String(role),
    content: textOf(parts),
  }));
  const system = isObject(systemInstruction) ? textOf(systemInstruction["parts"]) : undefined;
  const functions = (Array.isArray(tools) ? tools : [])
    .filter(isObject)
    .flatMap(({ functionDeclarations: each }) => (Array.isArray(each) ? each.filter(isObject) : []));
  return {
    model: /models\/([^:]+)/.exec(path)?.[1] ?? "",
    messages: system === undefined ? read : [{ role: "system", content: system }, ...read],
    responseFormat: undefined,
    tools: functions.map(({ name }) => String(name)),
    lastUserText: read.findLast(({ role }) => role === "user")?.content ?? "",
    body,
  };
}

/** The text of parts; other parts as JSON. */
function textOf(parts: unknown): string {
  return (Array.isArray(parts) ? parts : [])
    .filter(isObject)
    .map((part) => (typeof part["text"] === "string" ? part["text"] : JSON.stringify(part)))
    .join("");
}

function toChunks({ text, toolCalls = [] }: ScriptedChatReply, model: string): string[] {
  const chunk = (parts: object[], more: object = {}): string => {
    const candidate = { index: 0, content: { role: "model", parts }, ...more };
    const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
    return `data: ${JSON.stringify({ candidates: [candidate], usageMetadata, modelVersion: model })}\n\n`;
  };
  return [
    ...wordsOf(text).map((word) => chunk([{ text: word }])),
    ...toolCalls.map(({ name, input }) => chunk([{ functionCall: { name, args: input } }])),
    chunk([{ text: "" }], { finishReason: "STOP" }),
  ];
}
