/** For tests of every operation in `openapi.json`: resources to which requests can refer. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import {
  bodyOf,
  conflicts,
  type ContractConformance,
  document,
  type Operation,
  operations,
  propertiesOf,
} from "./contract-conformance.ts";
import { insertMember, insertUser } from "./identity/identity.store.ts";
import { inboundCall, type TestServer } from "./testing.ts";

/** References that exclude another one of the same body. */
const alternatives: Readonly<Record<string, string>> = { createTestCaseFromCall: "conversationId" };

/** Values that must be unique differ from those in the samples, which can then be created in addition. */
const resourceFields: Readonly<Record<string, object>> = {
  createCustomTool: { name: "other" },
  createInvitation: { email: "other@example.com" },
  addPhoneNumber: { e164: "+4930123456" },
};

/** Values of path parameters that no operation creates. */
const parts: Readonly<Record<string, string>> = {
  name: "staging",
  revision: "2",
  provider: "elevenlabs",
};

/** Whether the operation is about what the server has for all organizations. */
export const isShared = ({ method, path }: Operation): boolean =>
  (method === "GET" && /^\/(?:voices|models|languages)(?:\/|$)/.test(path)) ||
  /^\/providers(?:\/|$)/.test(path);

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
    await resources.#recognizeCustomer(conformance.server, owner.organizationId);
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
      const collection = segments.slice(0, index).join("/");
      const value = this.#ids.get(collection) ?? parts[name];
      assert.ok(value !== undefined, `no value for {${name}} in ${path}: add one to contract-resources.ts`);
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

  async #recognizeCustomer({ modules }: TestServer, organizationId: string): Promise<void> {
    const agentId = this.#ids.get("/agents") ?? "";
    const { id } = await modules.customers.ensure({ organizationId, agentId, userId: "ada" });
    this.#ids.set("/customers", id);
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

/** Operations whose resource needs more than the existence of its references, such as a number, in their order. */
const lastCreations: readonly string[] = [
  "createTestSuite",
  "createTestCase",
  "startTestRun",
  "createCall",
  "sendMessage",
  "createCampaign",
];

/** Ordered so that referenced resources precede those that refer to them, and parents precede nested resources. */
const creations: readonly Operation[] = operations
  .filter(
    ({ method, operationId, responses }) =>
      method === "PUT" || (method === "POST" && "201" in responses && conflicts[operationId] === undefined),
  )
  .map((operation) => ({
    operation,
    depth: lastCreations.includes(operation.operationId)
      ? 1_000 + lastCreations.indexOf(operation.operationId)
      : operation.path.split("/").length * 10 + referencesOf(operation).length,
  }))
  .sort((a, b) => a.depth - b.depth)
  .map(({ operation }) => operation);

function referencesOf({ path, method, operationId }: Operation): string[] {
  const schema =
    document.paths[path]?.[method.toLowerCase()]?.requestBody?.content["application/json"]?.schema;
  const collections = new Set(Object.keys(document.paths));
  return schema === undefined
    ? []
    : Object.keys(propertiesOf(schema)).filter(
        (name) => collections.has(collectionOf(name)) && name !== alternatives[operationId],
      );
}

/** `sipTrunkId` → `/sip-trunks`. */
function collectionOf(field: string): string {
  if (!field.endsWith("Id")) return "";
  return `/${field.slice(0, -2).replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}s`;
}
