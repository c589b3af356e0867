/** For tests of every operation in `openapi.json`: how to use an operation, and its possible answers. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { Check, Errors } from "typebox/schema";
import { insertMember, insertUser } from "./identity/identity.store.ts";
import {
  type TestResponse,
  type TestServer,
  type TestServerOptions,
  createTestServer,
  inboundCall,
} from "./testing.ts";

type Method = Parameters<TestServer["request"]>[0];

type Schema = Readonly<Record<string, unknown>>;

/** Content that is not JSON (a file) is not checked. */
interface Content {
  content: { "application/json"?: { schema: Schema } };
}

export interface Operation {
  method: Method;
  path: string;
  operationId: string;
  /** Whether the operation takes a body. */
  hasBody: boolean;
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

/** Fields that an operation needs beyond the required ones, so that all other operations can use its result. */
const particulars: Readonly<Record<string, object>> = {
  // Accepts outbound calls.
  createSipTrunk: { proxyAddress: "127.0.0.1" },
  // Auto mode has no published revision. The test of its webhook sends nothing, because the address is private.
  createAgent: { publishMode: "manual", postCallWebhookUrl: "http://127.0.0.1:9/hook" },
  createCustomTool: { webhookUrl: "http://127.0.0.1:9/tool" },
  // In the country of the organization's number.
  createCall: { toNumber: "+4930123457" },
  createCampaign: { fromNumber: "+4930123456", contacts: [{ toNumber: "+4930123458" }] },
  addCampaignContacts: { contacts: [{ toNumber: "+4930123459" }] },
};

/** Error of an operation on a resource whose state does not allow it, such as a ringing call. */
export const conflicts: Readonly<Record<string, string>> = {
  reanalyzeCall: "call_not_ended",
  deleteCall: "call_not_ended",
  deleteCallRecording: "call_not_ended",
  deleteCallTranscript: "call_not_ended",
  instructCall: "call_not_active",
  // The call's node does not exist.
  hangUpCall: "call_not_addressable",
  // Agents use it.
  deleteSipTrunk: "in_use",
  // A campaign uses it.
  deleteAgent: "agent_in_use",
};

/** Values that must be unique differ from those in the samples, which can then be created in addition. */
const resourceFields: Readonly<Record<string, object>> = {
  createCustomTool: { name: "other" },
  createInvitation: { email: "other@example.com" },
  addPhoneNumber: { e164: "+4930123456" },
};

/** Values of path parameters that no operation creates. */
const parts: Readonly<Record<string, string>> = { name: "staging", revision: "2" };

/** Paths of the operator's API have another server and another key; their tests are the operator's. */
const paths = Object.entries(document.paths).filter(([, item]) => !("servers" in item));

export const operations: readonly Operation[] = paths.flatMap(([path, item]) =>
  Object.entries(item).map(([method, { operationId, parameters, requestBody, responses }]) => ({
    method: methods[method] ?? "GET",
    path,
    operationId,
    hasBody: requestBody !== undefined,
    takesIdempotencyKey: JSON.stringify(parameters ?? []).includes("IdempotencyKey"),
    sampleBody: {
      ...(requestBody === undefined
        ? {}
        : sampleObject(requestBody.content["application/json"]?.schema ?? {})),
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

/** Server whose every answer is checked against the operation's description in the document. */
export class ContractConformance {
  readonly server: TestServer;

  static async start(options?: TestServerOptions): Promise<ContractConformance> {
    return new ContractConformance(await createTestServer(options));
  }

  private constructor(server: TestServer) {
    this.server = server;
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
    const answer = await this.server.request(method, url, body, apiKey, headers);
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
  }
}

/** One resource of each kind; fills their ids into paths. */
export class Resources {
  /** Ids by the collection's path, which contains the ids of its parents. */
  readonly #ids = new Map<string, string>();

  /** Creates the resources through the API; calls and their reports are created as a node does it. */
  static async create(
    conformance: ContractConformance,
    owner: { organizationId: string; apiKey: string },
  ): Promise<Resources> {
    const resources = new Resources();
    for (const operation of creations) await resources.#create(conformance, operation, owner.apiKey);
    await resources.#findContact(conformance.server, owner.organizationId);
    await resources.#openCall(conformance.server, owner.organizationId);
    await resources.#logWebhook(conformance.server, owner.organizationId);
    await resources.#keepRecording(conformance.server, owner.organizationId);
    await resources.#addMember(conformance.server, owner.organizationId);
    return resources;
  }

  get allIds(): string[] {
    return [...this.#ids.values()];
  }

  /** Path of a resource, for a valid request. */
  fill(path: string): string {
    const segments = path.split("/");
    for (const [index, segment] of segments.entries()) {
      const name = /^\{(\w+)\}$/.exec(segment)?.[1];
      if (name === undefined) continue;
      const value = this.#ids.get(segments.slice(0, index).join("/")) ?? parts[name];
      assert.ok(value !== undefined, `no value for {${name}} in ${path}: add one to contract-conformance.ts`);
      segments[index] = value;
    }
    return segments.join("/");
  }

  /** Body of a valid request that refers to these resources. */
  bodyFor(operation: Operation): object | undefined {
    const body = bodyOf(operation);
    return body && { ...body, ...this.#references(operation) };
  }

  async #create(conformance: ContractConformance, operation: Operation, apiKey: string): Promise<void> {
    const url = this.fill(operation.path);
    const fields = resourceFields[operation.operationId];
    const body = { ...operation.sampleBody, ...fields, ...this.#references(operation) };
    const { status, body: answer } = await conformance.send(operation, url, { body, apiKey });
    assert.ok(status < 300, `${operation.operationId} ${JSON.stringify(answer)}`);
    const { data }: { data: { id?: string } } = JSON.parse(JSON.stringify(answer));
    if (operation.method === "POST" && data.id !== undefined) this.#ids.set(url, data.id);
    // A number is created for its agent, and also belongs to its organization.
    if (operation.operationId === "addPhoneNumber" && data.id !== undefined)
      this.#ids.set("/phone-numbers", data.id);
  }

  /** Fields such as `sipTrunkId` whose resource already exists. */
  #references(operation: Operation): Record<string, string> {
    const entries = referencesOf(operation).map((name) => [name, this.#ids.get(collectionOf(name))] as const);
    return Object.fromEntries(
      entries.flatMap(([name, id]): [string, string][] => (id === undefined ? [] : [[name, id]])),
    );
  }

  /** A contact is created with its campaign, which does not return its id. */
  async #findContact({ modules }: TestServer, organizationId: string): Promise<void> {
    const campaignId = this.#ids.get("/campaigns") ?? "";
    const page = { page: 1, pageSize: 1, sort: "asc" } as const;
    const { data } = await modules.campaignContacts.list(organizationId, campaignId, page);
    this.#ids.set(`/campaigns/${campaignId}/contacts`, data[0]?.id ?? "");
  }

  async #openCall(server: TestServer, organizationId: string): Promise<void> {
    const agentId = this.#ids.get("/agents") ?? "";
    const call = inboundCall(organizationId, {
      agentId,
      phoneNumberId: this.#ids.get(`/agents/${agentId}/phone-numbers`) ?? "",
      sipTrunkId: this.#ids.get("/sip-trunks") ?? "",
      fromNumber: "+14155550100",
    });
    const { callId, conversationId } = await server.modules.calls.openInbound(call);
    this.#ids.set("/calls", callId);
    this.#ids.set("/conversations", conversationId);
  }

  async #addMember({ database, modules }: TestServer, organizationId: string): Promise<void> {
    const email = `${randomUUID()}@example.com`;
    const userId = await insertUser(database, { name: "Member", email, passwordHash: "" });
    await insertMember(database, { organizationId, userId: userId ?? "", role: "member" });
    const { data } = await modules.members.list(organizationId, { page: 1, pageSize: 1, sort: "asc" });
    this.#ids.set("/members", data[0]?.id ?? "");
  }

  async #keepRecording({ modules, database }: TestServer, organizationId: string): Promise<void> {
    const callId = this.#ids.get("/calls") ?? "";
    const recording = { callId, organizationId, objectKey: "recording", sizeBytes: 1, durationMs: 1 };
    await modules.recordings.note(database, recording);
  }

  async #logWebhook({ modules, database }: TestServer, organizationId: string): Promise<void> {
    const now = new Date();
    const subjectId = this.#ids.get("/calls") ?? "";
    const agentId = this.#ids.get("/agents") ?? "";
    const facts = { id: randomUUID(), type: "call.pre" as const, createdAt: now };
    const event = { ...facts, organizationId, subjectId, agentId };
    const attempt = { startedAt: now, durationMs: 20, answerStatus: 200, answer: "{}", problem: null };
    await modules.webhooks.log(database, { ...event, url: "https://example.com", body: "{}" }, attempt);
    this.#ids.set("/webhooks/deliveries", event.id);
  }
}

/** Operations whose resource needs more than the existence of its references, such as a number. */
const lastCreations: readonly string[] = ["createCall", "createCampaign"];

/** Ordered so that referenced resources precede those that refer to them, and parents precede nested resources. */
const creations: readonly Operation[] = operations
  .filter(({ method, responses }) => method === "PUT" || (method === "POST" && "201" in responses))
  .map((operation) => ({
    operation,
    depth: lastCreations.includes(operation.operationId)
      ? Infinity
      : operation.path.split("/").length * 10 + referencesOf(operation).length,
  }))
  .sort((a, b) => a.depth - b.depth)
  .map(({ operation }) => operation);

function referencesOf({ path, method }: Operation): string[] {
  const schema =
    document.paths[path]?.[method.toLowerCase()]?.requestBody?.content["application/json"]?.schema;
  const collections = new Set(Object.keys(document.paths));
  return schema === undefined
    ? []
    : Object.keys(propertiesOf(schema)).filter((name) => collections.has(collectionOf(name)));
}

/** `sipTrunkId` → `/sip-trunks`. */
function collectionOf(field: string): string {
  if (!field.endsWith("Id")) return "";
  return `/${field.slice(0, -2).replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}s`;
}

function resolve(schema: Schema): Schema {
  const { $ref: reference } = schema;
  if (typeof reference !== "string") return schema;
  return document.components.schemas[reference.split("/").at(-1) ?? ""] ?? {};
}

function propertiesOf(schema: Schema): Record<string, Schema> {
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
