import { randomUUID } from "node:crypto";
import { TextDecoder } from "node:util";
import type { DialogueTool, ToolInputSchema } from "@parley/conversation";
import type {
  OutboundAnswer,
  OutboundClient,
  OutboundRequest,
} from "../platform/outbound-http/outbound-client.ts";
import { createArgumentCheck } from "./argument-check.ts";

/** A custom tool as one conversation runs it: variables filled in, secrets in the clear. */
export interface WebhookTool {
  id: string;
  name: string;
  description: string;
  inputSchema: ToolInputSchema;
  isAsync: boolean;
  method: OutboundRequest["method"];
  url: string;
  headers: readonly Pair[];
  queryParams: readonly Pair[];
  /** The arguments alone are the body. */
  isRawBody: boolean;
}

export interface Pair {
  key: string;
  value: string;
}

/** What a tool's server is told of the conversation. */
export interface ToolConversation {
  callId: string | null;
  conversationId: string;
  agentId: string;
  /** Null: production. */
  environment: string | null;
  channel: "phone" | "web";
  fromNumber: string | null;
  toNumber: string | null;
  variables: Readonly<Record<string, string>>;
}

export interface MessageToSign {
  /** Another for each request. */
  id: string;
  /** Exactly as sent; empty where nothing is. */
  body: string;
}

/** The headers by which a tool's server knows that a request is from us; none where nothing signs. */
export type SignRequest = (message: MessageToSign) => Promise<Record<string, string>>;

const DEADLINE_MS = 20_000;
/** About 25,000 tokens: much more would push the conversation out of a model's context. */
const LONGEST_OUTPUT = 100_000;
const LONGEST_REFUSAL = 2_000;

type Arguments = Readonly<Record<string, unknown>>;

/** The tool as a dialogue calls it. What it throws is for the model to read. */
export function createWebhookTool(
  tool: WebhookTool,
  conversation: ToolConversation,
  client: OutboundClient,
  sign: SignRequest,
): DialogueTool {
  const { name, description, inputSchema, isAsync } = tool;
  const check = createArgumentCheck(inputSchema);
  return {
    name,
    description,
    inputSchema,
    isAsync,
    execute: async (input, { toolCallId, signal }) => {
      if (!isArguments(input)) throw new Error("the arguments must be an object");
      const problems = check(input);
      if (problems.length > 0) throw new Error(`invalid arguments: ${problems.join("; ")}`);
      const request = toRequest(tool, { ...conversation, toolCallId }, input);
      const signature = await sign({ id: randomUUID(), body: request.body ?? "" });
      const headers = { ...request.headers, ...signature };
      return readAnswer(await client.send({ ...request, headers, deadlineMs: DEADLINE_MS, signal }));
    },
  };
}

function toRequest(
  tool: WebhookTool,
  { toolCallId, ...conversation }: ToolConversation & { toolCallId: string },
  input: Arguments,
): Omit<OutboundRequest, "deadlineMs" | "signal"> {
  const { id, name, method, isRawBody } = tool;
  const hasBody = method !== "GET" && method !== "DELETE";
  const headers = toHeaders(tool.headers, hasBody);
  const url = withQuery(tool.url, tool.queryParams, hasBody ? {} : input);
  if (!hasBody) return { method, url, headers };
  const body = isRawBody ? input : { tool: { id, name }, toolCallId, ...conversation, arguments: input };
  return { method, url, headers, body: JSON.stringify(body) };
}

/** A name that is given several times is sent once, its values joined (RFC 9110 §5.3). */
function toHeaders(pairs: readonly Pair[], hasBody: boolean): Record<string, string> {
  const headers: Record<string, string> = {
    "user-agent": "Parley",
    ...(hasBody && { "content-type": "application/json" }),
  };
  const given = Map.groupBy(pairs, ({ key }) => key.toLowerCase());
  for (const [name, values] of given)
    headers[name] = values.map(({ value }) => toFieldValue(value)).join(", ");
  return headers;
}

/** Variables may hold anything: line breaks would begin another header, and other letters than Latin ones go as UTF-8. */
function toFieldValue(text: string): string {
  const line = text.replaceAll(/[\p{Cc}]+/gu, " ").trim();
  return Buffer.from(line, "utf8").toString("latin1");
}

/** What the tool's owner has set stands: no argument of that name replaces it. */
function withQuery(url: string, params: readonly Pair[], input: Arguments): string {
  if (params.length === 0 && Object.keys(input).length === 0) return url;
  // A URL that is none is the client's to refuse.
  if (!URL.canParse(url)) return url;
  const target = new URL(url);
  const query = target.searchParams;
  const taken = new Set([...query.keys(), ...params.map(({ key }) => key)]);
  for (const { key, value } of params) query.append(key, value);
  for (const [name, value] of Object.entries(input)) {
    if (!taken.has(name)) query.append(name, typeof value === "string" ? value : JSON.stringify(value));
  }
  return target.href;
}

/** Undefined where nothing was answered. */
function readAnswer({ status, body, isCut, contentType }: OutboundAnswer): string | undefined {
  const text = decode(body, contentType, isCut);
  if (status >= 200 && status < 300) {
    if (text === undefined) throw new Error("the answer is neither JSON nor text");
    const isLong = isCut || text.length > LONGEST_OUTPUT;
    if (isLong) return `${text.slice(0, LONGEST_OUTPUT)}\n[The answer is longer; this is its beginning.]`;
    return text === "" ? undefined : text;
  }
  const detail = (text ?? "").trim().slice(0, LONGEST_REFUSAL);
  throw new Error(detail === "" ? `HTTP status ${status}` : `HTTP status ${status}: ${detail}`);
}

function decode(
  body: Uint8Array<ArrayBuffer>,
  contentType: string | undefined,
  isCut: boolean,
): string | undefined {
  const charset = /charset="?([\w-]+)/i.exec(contentType ?? "")?.[1] ?? "utf-8";
  try {
    // `stream`: what was cut may end within a character.
    return decoderOf(charset).decode(body, { stream: isCut });
  } catch {
    return undefined;
  }
}

function decoderOf(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset, { fatal: true });
  } catch {
    return new TextDecoder("utf-8", { fatal: true });
  }
}

function isArguments(input: unknown): input is Arguments {
  return typeof input === "object" && input !== null && !Array.isArray(input);
}
