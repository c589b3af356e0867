/** For tests of every operation in `openapi.json`: how to use an operation, and its possible answers. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { readWav, writeWav } from "@parley/audio";
import { ScriptedTwilio, startScriptedElevenLabs } from "@parley/providers/testing";
import { Check, Errors } from "typebox/schema";
import { type TestResponse, type TestServer, type TestServerOptions, createTestServer } from "./testing.ts";

type Method = Parameters<TestServer["request"]>[0];

type Schema = Readonly<Record<string, unknown>>;

/** Content that is not JSON (a file) is not checked. */
interface Content {
  content: { "application/json"?: { schema: Schema }; "multipart/form-data"?: { schema: Schema } };
}

export interface Operation {
  method: Method;
  path: string;
  operationId: string;
  /** Whether the operation takes a body. */
  hasBody: boolean;
  /** Whether the body is a form with a file. */
  isForm: boolean;
  takesIdempotencyKey: boolean;
  /** Smallest valid body. */
  sampleBody: Readonly<Record<string, unknown>>;
  /** By status. */
  responses: Readonly<Record<string, Content>>;
}

interface OpenApiOperation {
  operationId: string;
  parameters?: object[];
  requestBody?: Content;
  responses: Record<string, Content>;
}

export const document: {
  paths: Record<string, Record<string, OpenApiOperation>>;
  components: { schemas: Record<string, Schema> };
} = JSON.parse(await readFile(new URL("../../../../openapi.json", import.meta.url), "utf8"));

const methods: Readonly<Record<string, Method>> = {
  get: "GET",
  post: "POST",
  patch: "PATCH",
  put: "PUT",
  delete: "DELETE",
};

/** A person who speaks for 12 seconds. */
async function readSample(): Promise<Uint8Array<ArrayBuffer>> {
  const folder = new URL("../../../../bench/recordings/", import.meta.url);
  const parts = await Promise.all(
    ["0870", "0890"].map(async (part) =>
      readWav(await readFile(new URL(`sense-and-sensibility-${part}.wav`, folder))),
    ),
  );
  const pcm = Int16Array.from(parts.flatMap((part) => [...part.pcm]));
  return new Uint8Array(writeWav({ sampleRateHz: 16_000, channels: 1, pcm }));
}

/** Fields that an operation needs beyond the required ones, so that all other operations can use its result. */
const particulars: Readonly<Record<string, object>> = {
  // Accepts outbound calls.
  createSipTrunk: { proxyAddress: "127.0.0.1" },
  // Auto mode has no published revision. The test of its webhook sends nothing, because the address is private.
  createAgent: { publishMode: "manual", postCallWebhookUrl: "http://127.0.0.1:9/hook" },
  createCustomTool: { webhookUrl: "http://127.0.0.1:9/tool" },
  // In the country of the organization's number.
  createCall: { toNumber: "+4930123457" },
  sendMessage: { toNumber: "+4930123457" },
  createCampaign: { fromNumber: "+4930123456", contacts: [{ toNumber: "+4930123458" }] },
  createVoice: { voice: new Blob([await readSample()], { type: "audio/wav" }) },
  createKnowledgeDocument: { document: new Blob(["Dogs stay for free."]) },
  // Runs in text, and without a language model, which the test server does not have.
  createTestSuite: { mode: "chat" },
  createTestCase: { callerLines: ["Hello"], assertions: [{ type: "said", text: "Hello" }] },
  addCampaignContacts: { contacts: [{ toNumber: "+4930123459" }] },
};

/** Error of an operation on a resource whose state does not allow it, such as a ringing call. */
export const conflicts: Readonly<Record<string, string>> = {
  reanalyzeCall: "call_not_ended",
  deleteCall: "call_not_ended",
  deleteCallRecording: "call_not_ended",
  deleteCallTranscript: "call_not_ended",
  instructCall: "call_not_active",
  // The conversation is the call's.
  sendChatMessage: "conversation_not_active",
  streamConversationEvents: "conversation_not_active",
  instructConversation: "conversation_not_active",
  deleteConversation: "in_use",
  createTestCaseFromCall: "call_not_ended",
  // The call's node does not exist.
  hangUpCall: "call_not_addressable",
  // The document was uploaded.
  syncKnowledgeDocument: "document_not_website",
  // The test server has no voices that speak.
  previewVoice: "provider_unreachable",
  // Agents use it.
  deleteSipTrunk: "in_use",
  // Its agent's operation has deleted it before.
  deleteUnboundPhoneNumber: "not_found",
  deleteMessagingConnection: "in_use",
  // A campaign uses it.
  deleteAgent: "agent_in_use",
};

/** Paths of the operator's API have another server and another key; their tests are the operator's. */
const paths = Object.entries(document.paths).filter(([, item]) => !("servers" in item));

export const operations: readonly Operation[] = paths.flatMap(([path, item]) =>
  Object.entries(item).map(([method, { operationId, parameters, requestBody, responses }]) => ({
    method: methods[method] ?? "GET",
    path,
    operationId,
    hasBody: requestBody !== undefined,
    isForm: requestBody?.content["multipart/form-data"] !== undefined,
    takesIdempotencyKey: JSON.stringify(parameters ?? []).includes("IdempotencyKey"),
    sampleBody: {
      ...(requestBody === undefined
        ? {}
        : sampleObject(
            (requestBody.content["application/json"] ?? requestBody.content["multipart/form-data"])?.schema ??
              {},
          )),
      ...particulars[operationId],
    },
    responses,
  })),
);

/** Body of a valid request; `undefined` if the operation takes none. */
export function bodyOf({ method, hasBody, sampleBody }: Operation): object | undefined {
  return method === "GET" || !hasBody ? undefined : sampleBody;
}

/** Checks the error code of a rejected request and, if given, that an issue names the path. */
export function assertRefused({ status, body }: TestResponse, code: string, issuePath?: string): void {
  const text = JSON.stringify(body);
  const refusal: { error: string; details?: { issues: { path: string }[] } } = JSON.parse(text);
  assert.equal(refusal.error, code, text);
  assert.ok(status >= 400);
  if (issuePath === undefined) return;
  assert.ok(
    refusal.details?.issues.some(({ path }) => path === issuePath),
    text,
  );
}

/** As in the example of the contract. */
const SAMPLE_PROVIDER_KEY = "sk-3f5e9c1d7b2a4860";

/** Server whose every answer is checked against the operation's description in the document. */
export class ContractConformance {
  readonly server: TestServer;

  readonly #providers: readonly { close: () => Promise<void> }[];

  static async start(options?: TestServerOptions): Promise<ContractConformance> {
    const twilio = await ScriptedTwilio.start(twilioAccount());
    const elevenLabs = await startScriptedElevenLabs({ apiKey: SAMPLE_PROVIDER_KEY });
    const providerVariables = {
      ELEVENLABS_BASE_URL: elevenLabs.url,
      PARLEY_LLM_BASE_URL: "http://127.0.0.1:9",
      PARLEY_LLM_MODEL: "none",
    };
    const server = await createTestServer({ providerVariables, ...options, twilioBaseUrl: twilio.url });
    return new ContractConformance(server, [twilio, elevenLabs]);
  }

  private constructor(server: TestServer, providers: readonly { close: () => Promise<void> }[]) {
    this.server = server;
    this.#providers = providers;
  }

  async send(
    operation: Operation,
    url: string,
    {
      body,
      apiKey,
      headers,
    }: { body?: unknown; apiKey?: string | null; headers?: Record<string, string> } = {},
  ): Promise<TestResponse> {
    const { method, operationId, responses } = operation;
    const sent = await encodeBody(operation, body);
    const answer = await this.server.request(method, url, sent.body, apiKey, { ...sent.headers, ...headers });
    const response = responses[String(answer.status)];
    const what = `${operationId}: ${answer.status} ${JSON.stringify(answer.body)}`;
    assert.ok(response !== undefined, `not documented: ${what}`);
    const json = response.content["application/json"];
    const schema = { ...json?.schema, components: document.components };
    if (json !== undefined)
      assert.ok(Check(schema, answer.body), `${JSON.stringify(Errors(schema, answer.body))} ${what}`);
    return answer;
  }

  async close(): Promise<void> {
    await this.server.close();
    for (const provider of this.#providers) await provider.close();
  }
}

/** A body as a client sends it: JSON, or a form with a file. */
export async function encodeBody(
  { isForm }: Pick<Operation, "isForm">,
  body: unknown,
): Promise<{ body: unknown; headers: Record<string, string> }> {
  return isForm ? await encodeForm(body) : { body, headers: {} };
}

/** Text is sent as a form that cannot be read. */
async function encodeForm(
  body: unknown,
): Promise<{ body: string | Buffer; headers: Record<string, string> }> {
  if (typeof body !== "object" || body === null)
    return { body: String(body), headers: { "content-type": "multipart/form-data; boundary=none" } };
  const form = new FormData();
  for (const [name, value] of Object.entries(body))
    if (value instanceof Blob) form.append(name, value, `${name}.wav`);
    else form.append(name, String(value));
  const encoded = new Response(form);
  return {
    body: Buffer.from(await encoded.arrayBuffer()),
    headers: { "content-type": encoded.headers.get("content-type") ?? "" },
  };
}

/** The account of the sample body that creates a messaging connection. */
function twilioAccount(): { accountSid: string; authToken: string } {
  const body = operations.find(({ operationId }) => operationId === "createMessagingConnection")?.sampleBody;
  return { accountSid: String(body?.["accountSid"]), authToken: String(body?.["authToken"]) };
}

function resolve(schema: Schema): Schema {
  const { $ref: reference } = schema;
  if (typeof reference !== "string") return schema;
  return document.components.schemas[reference.split("/").at(-1) ?? ""] ?? {};
}

/** Fields of an object's schema. */
export function propertiesOf(schema: Schema): Record<string, Schema> {
  return JSON.parse(JSON.stringify(resolve(schema)["properties"] ?? {}));
}

/** Required fields, with the values of their examples. */
function sampleObject(schema: Schema): Record<string, unknown> {
  const { required } = resolve(schema);
  const names: unknown[] = Array.isArray(required) ? required : [];
  const properties = propertiesOf(schema);
  return Object.fromEntries(names.map((name) => [String(name), sampleOf(properties[String(name)] ?? {})]));
}

function sampleOf(schema: Schema): unknown {
  const resolved = resolve(schema);
  const { examples, enum: values, default: value, type } = resolved;
  if (Array.isArray(examples)) return examples[0];
  if (Array.isArray(values)) return values[0];
  if (value !== undefined) return value;
  if (type === "object") return sampleObject(resolved);
  if (type === "array") return [];
  if (type === "boolean") return false;
  if (type === "integer" || type === "number") return resolved["minimum"] ?? 1;
  return "x";
}
