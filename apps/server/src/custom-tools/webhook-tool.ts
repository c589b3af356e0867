import type { ConversationChannel, ToolRequest, Variables } from "@parley/contract";
import { randomUUID } from "node:crypto";
import { TextDecoder } from "node:util";
import type { DialogueTool, ToolInputSchema } from "@parley/conversation";
import type {
  OutboundAnswer,
  OutboundClient,
  OutboundRequest,
} from "../platform/outbound-http/outbound-client.ts";
import { createArgumentCheck } from "./argument-check.ts";

/** Custom tool as one conversation runs it: with variables filled in and decrypted secrets. */
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
  /** If `true`, the body consists only of the arguments. */
  isRawBody: boolean;
}

export interface Pair {
  key: string;
  value: string;
}

/** Facts about the conversation for a tool's server. */
export interface ToolConversation {
  callId: string | null;
  conversationId: string;
  agentId: string;
  /** `null` is production. */
  environment: string | null;
  channel: ConversationChannel;
  fromNumber: string | null;
  toNumber: string | null;
  isTest: boolean;
  variables: Variables;
}

export interface MessageToSign {
  /** Unique per request. */
  id: string;
  /** Body exactly as sent, or the signed content of a request without one. */
  body: string;
}

/** Headers by which a tool's server recognizes our requests; none if the organization has no signing secret. */
export type SignRequest = (message: MessageToSign) => Promise<Record<string, string>>;

const DEADLINE_MS = 20_000;
/** Characters; about 25,000 tokens. Much more would displace the conversation from a model's context. */
const MAX_OUTPUT_CHARACTERS = 100_000;
const MAX_REFUSAL_CHARACTERS = 2_000;

type Arguments = Readonly<Record<string, unknown>>;

/** Creates the tool for a dialogue. Its errors are written for the model. */
export function createWebhookTool(
  tool: WebhookTool,
  conversation: ToolConversation,
  client: Pick<OutboundClient, "send">,
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
      const headers = {
        ...request.headers,
        ...conversationHeaders(conversation, toolCallId),
        ...(await signatureOf(request, sign)),
      };
      return readAnswer(await client.send({ ...request, headers, deadlineMs: DEADLINE_MS, signal }));
    },
  };
}

/** Identify the call, and a test, in requests of every form: a raw body and a GET do not contain them. */
function conversationHeaders(
  { callId, isTest }: ToolConversation,
  toolCallId: string,
): Record<string, string> {
  return {
    ...(callId !== null && { "x-parley-call-id": callId }),
    ...(isTest && { "x-parley-test": "true" }),
    "x-parley-tool-call-id": toFieldValue(toolCallId),
  };
}

/**
 * Signature of the body. A request without one is signed by what it says instead: its method, path and query, as JSON
 * that a header carries, so that the libraries of Standard Webhooks verify it like a body.
 */
async function signatureOf(
  { method, url, body }: Omit<OutboundRequest, "deadlineMs" | "signal">,
  sign: SignRequest,
): Promise<Record<string, string>> {
  const id = randomUUID();
  if (body !== undefined) return await sign({ id, body });
  // OutboundClient rejects malformed URLs.
  if (!URL.canParse(url)) return {};
  const { pathname: path, search } = new URL(url);
  const content = JSON.stringify({ method, path, query: search.slice(1) });
  const signature = await sign({ id, body: content });
  if (Object.keys(signature).length === 0) return {};
  return { ...signature, "x-parley-signed-content": Buffer.from(content).toString("base64url") };
}

function toRequest(
  tool: WebhookTool,
  { toolCallId, ...conversation }: ToolConversation & { toolCallId: string },
  input: Arguments,
): Omit<OutboundRequest, "deadlineMs" | "signal"> {
  const { id, name, method, isRawBody } = tool;
  const hasBody = method !== "GET";
  const headers = toHeaders(tool.headers, hasBody);
  const url = withQuery(tool.url, tool.queryParams, hasBody ? {} : input);
  if (!hasBody) return { method, url, headers };
  const wrapped: ToolRequest = { tool: { id, name }, toolCallId, ...conversation, arguments: input };
  return { method, url, headers, body: JSON.stringify(isRawBody ? input : wrapped) };
}

/** Sends a name that is given several times once, with its values joined (RFC 9110 §5.3). */
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

/**
 * Variables may contain any text: removes line breaks, which would begin another header, and sends non-ASCII characters
 * as UTF-8.
 */
function toFieldValue(text: string): string {
  const line = text.replaceAll(/[\p{Cc}]+/gu, " ").trim();
  return Buffer.from(line, "utf8").toString("latin1");
}

/** Parameters set by the tool's owner take precedence over arguments of the same name. */
function withQuery(url: string, params: readonly Pair[], input: Arguments): string {
  if (params.length === 0 && Object.keys(input).length === 0) return url;
  // OutboundClient rejects malformed URLs.
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

/** `undefined` if the answer is empty. */
function readAnswer({ status, body, isCut, contentType }: OutboundAnswer): string | undefined {
  const text = decode(body, contentType, isCut);
  if (status >= 200 && status < 300) {
    if (text === undefined) throw new Error("the answer is neither JSON nor text");
    const isLong = isCut || text.length > MAX_OUTPUT_CHARACTERS;
    if (isLong)
      return `${text.slice(0, MAX_OUTPUT_CHARACTERS)}\n[The answer is longer; this is its beginning.]`;
    return text === "" ? undefined : text;
  }
  const detail = (text ?? "").trim().slice(0, MAX_REFUSAL_CHARACTERS);
  throw new Error(detail === "" ? `HTTP status ${status}` : `HTTP status ${status}: ${detail}`);
}

function decode(
  body: Uint8Array<ArrayBuffer>,
  contentType: string | undefined,
  isCut: boolean,
): string | undefined {
  const charset = /charset="?([\w-]+)/i.exec(contentType ?? "")?.[1] ?? "utf-8";
  try {
    // `stream`: a cut body may end within a character.
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
