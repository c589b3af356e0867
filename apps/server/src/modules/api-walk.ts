/** For tests that walk through every operation of `openapi.json`: how to use one, and what it may answer. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { Check, Errors } from "typebox/schema";
import {
  type TestResponse,
  type TestServer,
  type TestServerOptions,
  createTestServer,
  inboundCall,
} from "./testing.ts";

type Method = Parameters<TestServer["request"]>[0];

type Schema = Readonly<Record<string, unknown>>;

/** What is no JSON (a file) is not checked. */
interface Content {
  content: { "application/json"?: { schema: Schema } };
}

export interface Operation {
  method: Method;
  path: string;
  operationId: string;
  /** Whether it takes a body at all. */
  hasBody: boolean;
  takesIdempotencyKey: boolean;
  /** The least that a body has to hold. */
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

/** What an operation needs beyond its required fields to be of use to all others. */
const particulars: Readonly<Record<string, object>> = {
  // Calls can leave by it.
  createSipTrunk: { proxyAddress: "127.0.0.1" },
  // In auto mode there is nothing to publish.
  createAgent: { publishMode: "manual" },
  // In the country of the organization's number.
  createCall: { toNumber: "+4930123457" },
};

/** What an operation answers that is used as meant, but of which the call that rings is in no state for it. */
export const conflicts: Readonly<Record<string, string>> = {
  reanalyzeCall: "call_not_ended",
  instructCall: "call_not_active",
  // On a node that is none.
  hangUpCall: "call_not_addressable",
};

/** What is unique is another in the resources than in the samples, which can then be made beside them. */
const resourceFields: Readonly<Record<string, object>> = {
  createCustomTool: { name: "other" },
  addPhoneNumber: { e164: "+4930123456" },
};

/** What stands for a parameter that no operation makes. */
const parts: Readonly<Record<string, string>> = { name: "staging", revision: "2" };

export const operations: readonly Operation[] = Object.entries(document.paths).flatMap(([path, item]) =>
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

/** The body with which an operation is used as meant; undefined where it takes none. */
export function bodyOf({ method, hasBody, sampleBody }: Operation): object | undefined {
  return method === "GET" || !hasBody ? undefined : sampleBody;
}

/** Checks the error of a refusal and, where given, that it names what is wrong. */
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

/** A server whose every answer is checked against what the document says of the operation. */
export class Walk {
  readonly server: TestServer;

  static async start(options?: TestServerOptions): Promise<Walk> {
    return new Walk(await createTestServer(options));
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

/** One of each kind of thing; fills their ids into paths. */
export class Resources {
  /** By the collection's path, whose own ids are filled in. */
  readonly #ids = new Map<string, string>();

  /** Made through the API by whatever creates; calls and what is told of them as a node makes them. */
  static async create(walk: Walk, owner: { organizationId: string; apiKey: string }): Promise<Resources> {
    const resources = new Resources();
    for (const operation of creations) await resources.#create(walk, operation, owner.apiKey);
    await resources.#openCall(walk.server, owner.organizationId);
    await resources.#logWebhook(walk.server, owner.organizationId);
    await resources.#keepRecording(walk.server, owner.organizationId);
    return resources;
  }

  /** The path of a resource, for an operation that is used as meant. */
  fill(path: string): string {
    const segments = path.split("/");
    for (const [index, segment] of segments.entries()) {
      const name = /^\{(\w+)\}$/.exec(segment)?.[1];
      if (name === undefined) continue;
      const value = this.#ids.get(segments.slice(0, index).join("/")) ?? parts[name];
      assert.ok(value !== undefined, `nothing stands for {${name}} in ${path}: tell api-walk.ts what does`);
      segments[index] = value;
    }
    return segments.join("/");
  }

  /** The body with which an operation is used as meant, beside these resources. */
  bodyFor(operation: Operation): object | undefined {
    const body = bodyOf(operation);
    return body && { ...body, ...this.#references(operation) };
  }

  async #create(walk: Walk, operation: Operation, apiKey: string): Promise<void> {
    const url = this.fill(operation.path);
    const fields = resourceFields[operation.operationId];
    const body = { ...operation.sampleBody, ...fields, ...this.#references(operation) };
    const { status, body: answer } = await walk.send(operation, url, { body, apiKey });
    assert.ok(status < 300, `${operation.operationId} ${JSON.stringify(answer)}`);
    const { data }: { data: { id?: string } } = JSON.parse(JSON.stringify(answer));
    if (operation.method === "POST" && data.id !== undefined) this.#ids.set(url, data.id);
  }

  /** `sipTrunkId` and the like, where there is such a thing by now. */
  #references(operation: Operation): Record<string, string> {
    const entries = referencesOf(operation).map((name) => [name, this.#ids.get(collectionOf(name))] as const);
    return Object.fromEntries(
      entries.flatMap(([name, id]): [string, string][] => (id === undefined ? [] : [[name, id]])),
    );
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

  async #keepRecording({ modules, database }: TestServer, organizationId: string): Promise<void> {
    const callId = this.#ids.get("/calls") ?? "";
    const recording = { callId, organizationId, objectKey: "recording", sizeBytes: 1, durationMs: 1 };
    await modules.recordings.note(database, recording);
  }

  async #logWebhook({ modules, database }: TestServer, organizationId: string): Promise<void> {
    const now = new Date();
    const subjectId = this.#ids.get("/calls") ?? "";
    const event = { id: randomUUID(), type: "call.pre" as const, createdAt: now, organizationId, subjectId };
    const attempt = { startedAt: now, durationMs: 20, answerStatus: 200, answer: "{}", problem: null };
    await modules.webhooks.log(database, { ...event, url: "https://example.com", body: "{}" }, attempt);
    this.#ids.set("/webhooks/deliveries", event.id);
  }
}

/** What needs more of what it refers to than that it is there, such as a number. */
const lastCreations: readonly string[] = ["createCall"];

/** What is referred to comes before what refers to it, and what lies within something after that. */
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

/** The required fields, each as its examples say. */
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
