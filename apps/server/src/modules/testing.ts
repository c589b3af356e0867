/** Platform without calls, for tests: database, services and HTTP server. */
import { randomBytes, randomUUID } from "node:crypto";
import type { Actor, AgentChange, AgentCreation } from "@parley/contract";
import { UserAgent } from "@parley/sip";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import { registerDiagnosis } from "../doctor/diagnosis.routes.ts";
import type { Clock } from "../platform/clock.ts";
import { createFeatures, type Services } from "../node/features.ts";
import { createTestResources, SilentMedia } from "../node/testing.ts";
import type { ProviderConfiguration } from "../model-providers/provider-configuration.ts";
import { type Config, parseConfig } from "../platform/config/config.ts";
import type { MailConfig } from "../platform/config/mail.ts";
import { ClosingStack } from "../platform/closing-stack.ts";
import type { Database } from "../platform/database/database.ts";
import { type TestDatabase, createTestDatabase } from "../platform/database/testing.ts";
import { Encryption } from "../platform/encryption/encryption.ts";
import { type HttpLimits, createHttpServer } from "../platform/http/http-server.ts";
import { Idempotency } from "../platform/idempotency/idempotency.ts";
import type { JobQueue } from "../platform/jobs/jobs.ts";
import type { ObjectStorage } from "../platform/object-storage/object-storage.ts";
import { RateLimiter } from "../platform/rate-limit/rate-limiter.ts";
import type { NodeResources } from "./feature.ts";
import { changeDocument } from "./agents/agent-document.rules.ts";
import { writeDocument } from "./agents/agent-state.rules.ts";
import type { NewInboundCall } from "./calls/calls.service.ts";

/** Node id stored with the calls that it places. */
const TEST_NODE_ID = "test-node";

/** Refuses connections. */
const NOTHING_LISTENS = "http://127.0.0.1:9";

type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE";

export interface TestResponse {
  status: number;
  headers: Record<string, unknown>;
  /** Parsed JSON, or the text of any other content. */
  body: unknown;
}

export interface TestServer extends TestDatabase {
  app: FastifyInstance;
  modules: Services;
  /** SIP endpoint for trunks; rejects every call. */
  sip: UserAgent;
  media: SilentMedia;
  encryption: Encryption;
  organizationId: string;
  /** Actor of writes: with `organizationId` an author. */
  actor: Actor;
  apiKey: string;
  /** Sends a request with the organization's key, or with `apiKey`; `null` sends no key. */
  request: (
    method: Method,
    url: string,
    body?: unknown,
    apiKey?: string | null,
    headers?: Record<string, string>,
  ) => Promise<TestResponse>;
  /** Creates another organization with a key of its own. */
  createOrganization: () => Promise<{ organizationId: string; actor: Actor; apiKey: string }>;
}

export interface TestServerOptions {
  /** Closed with the server. Defaults to a new database. */
  testDatabase?: TestDatabase;
  /** Defaults to a silent logger. */
  logger?: Logger;
  /** Default: only sessions of operators open the operator's API. */
  operatorApiKey?: string;
  /** Default: no mail is sent. */
  mail?: MailConfig;
  /** Default: none is configured. */
  publicUrl?: string;
  /** Default: none. */
  trustedProxies?: readonly string[];
  /** Whether webhooks can reach this machine. Default: no. */
  isPrivateWebhookAllowed?: boolean;
  /** URL of a server in place of Twilio. Default: none answers. */
  twilioBaseUrl?: string;
  /** Base URL of an OpenAI-compatible model. Default: none answers. */
  languageModelUrl?: string;
  /** Variables of the operator's providers, in place of `languageModelUrl`. */
  providerVariables?: Readonly<Record<string, string>>;
  /** Whether checks of trunks can reach this machine. Default: no. */
  isPrivateTrunkCheckAllowed?: boolean;
  /** Default: no job runs. */
  jobs?: JobQueue;
  /** Default: stores nothing. */
  storage?: ObjectStorage;
  /** Limits of its HTTP server. */
  limits?: Partial<HttpLimits>;
  /** Default: the system's. */
  clock?: Clock;
}

export async function createTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const testDatabase = options.testDatabase ?? (await createTestDatabase());
  const sip = await UserAgent.listen({
    bind: { address: "127.0.0.1", port: 0 },
    onInvite: (invite) => invite.reject(486),
  });
  const media = new SilentMedia();
  const encryption = new Encryption(randomBytes(32));
  const { database, connectionString: directUrl } = testDatabase;
  const node = createTestNode(options, { database, directUrl, encryption, media, sip });
  const features = createFeatures(node);
  const { services: modules } = features;
  const started = new ClosingStack();
  features.closeWith(started);
  const app = await createHttpServer({
    logger: node.logger,
    authenticate: async (key) => await modules.apiKeys.authenticate(key),
    authenticateSession: async (cookies) => await modules.sessions.authenticate(cookies),
    findSessionUser: async (cookies) => await modules.sessions.findUser(cookies),
    recordAction: async (action) => await modules.auditLog.record(action),
    publicUrl: node.config.web.publicUrl,
    trustedProxies: options.trustedProxies ?? [],
    idempotency: new Idempotency(database, encryption, node.clock),
    rateLimiter: new RateLimiter(database, node.clock, (id) => modules.organizationLimits.find(id)),
    findLimits: (id) => modules.organizationLimits.find(id),
    limits: { refusalPauseMs: 0, ...options.limits },
  });
  features.bindRoutes(app);
  registerDiagnosis(app, { operatorApiKey: options.operatorApiKey, diagnose: async () => [] });
  await app.ready();
  const createOrganization = async () => {
    const slug = randomBytes(8).toString("hex");
    const { id } = await modules.organizations.ensure(testDatabase.database, slug, slug);
    const { key } = await modules.apiKeys.create(id, "test", null);
    return { organizationId: id, actor: { type: "api_key" as const, name: "test" }, apiKey: key };
  };
  const own = await createOrganization();
  return {
    ...testDatabase,
    ...own,
    app,
    modules,
    sip,
    media,
    encryption,
    createOrganization,
    request: sendTo(app, own.apiKey),
    close: async () => {
      media.close();
      await modules.activeCalls.drain(0);
      await app.close();
      await sip.close();
      await started.close();
      await testDatabase.close();
    },
  };
}

/** The resources of a node with these options. */
function createTestNode(
  options: TestServerOptions,
  {
    sip,
    ...parts
  }: {
    database: Database;
    directUrl: string;
    encryption: Encryption;
    media: SilentMedia;
    sip: UserAgent;
  },
): NodeResources {
  const resources = createTestResources({
    ...parts,
    nodeId: TEST_NODE_ID,
    sip: { agent: sip, tls: {} },
    ...(options.logger !== undefined && { logger: options.logger }),
    ...(options.clock !== undefined && { clock: options.clock }),
    ...(options.jobs !== undefined && { jobs: options.jobs }),
    ...(options.storage !== undefined && { storage: options.storage }),
  });
  const { operatorApiKey, isPrivateWebhookAllowed = false, isPrivateTrunkCheckAllowed = false } = options;
  const settings = {
    operatorApiKey,
    mail: options.mail,
    twilioBaseUrl: options.twilioBaseUrl ?? NOTHING_LISTENS,
    isPrivateWebhookAllowed,
    isPrivateTrunkCheckAllowed,
  };
  const { publicUrl, languageModelUrl: baseUrl, providerVariables } = options;
  const web = { ...resources.config.web, publicUrl };
  return {
    ...resources,
    config: {
      ...resources.config,
      ...settings,
      ...(baseUrl !== undefined && modelAt(baseUrl)),
      ...(providerVariables !== undefined && readProviders(providerVariables)),
      web,
    },
    ...(publicUrl !== undefined && { origin: () => publicUrl }),
  };
}

function modelAt(url: string): Partial<Config> {
  const { languageModel, providerAccess } = readProviders({
    PARLEY_LLM_BASE_URL: url,
    PARLEY_LLM_MODEL: "scripted",
  });
  return { languageModel, providerAccess };
}

function readProviders(
  variables: Readonly<Record<string, string>>,
): ProviderConfiguration & Pick<Config, "providerBaseUrls" | "embeddings"> {
  const { config } = parseConfig(variables);
  const { languageModel, languageModelFallback, speechToText, textToSpeech, localSpeech } = config;
  const { providerAccess, providerBaseUrls, embeddings } = config;
  const choices = { languageModel, languageModelFallback, speechToText, textToSpeech, localSpeech };
  return { ...choices, providerAccess, providerBaseUrls, embeddings };
}

/** Sends requests to the server, by default with this key. */
function sendTo(app: FastifyInstance, ownKey: string): TestServer["request"] {
  let requests = 0;
  return async (method, url, body, apiKey = ownKey, headers = {}) => {
    const response = await app.inject({
      // Invalid credentials count against their source, so each request comes from another source.
      remoteAddress: `10.0.${(requests >> 8) & 255}.${requests++ & 255}`,
      method,
      url: `/v1${url}`,
      headers: {
        ...(apiKey === null ? {} : { "x-api-key": apiKey }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { payload: toPayload(body) }),
    });
    return {
      status: response.statusCode,
      headers: response.headers,
      body: isJson(response.headers) ? (JSON.parse(response.body) as unknown) : response.body,
    };
  };
}

function toPayload(body: unknown): string | Buffer {
  return typeof body === "string" || body instanceof Buffer ? body : JSON.stringify(body);
}

let numbersTaken = 0;

/** Creates an agent with a phone number of its own. */
export async function createTestLine(
  { modules, organizationId, actor }: TestServer,
  agentFields: Partial<AgentCreation> = {},
): Promise<Pick<NewInboundCall, "agentId" | "phoneNumberId" | "sipTrunkId" | "toNumber">> {
  const trunk = await modules.sipTrunks.create(organizationId, { friendlyName: "Trunk" });
  const by = { organizationId, actor };
  const agent = await modules.agents.create(by, { name: "Ada", sipTrunkId: trunk.id, ...agentFields });
  numbersTaken += 1;
  const toNumber = `+1415556${String(numbersTaken).padStart(4, "0")}`;
  const number = await modules.phoneNumbers.add(by, agent.id, { e164: toNumber });
  return { agentId: agent.id, phoneNumberId: number.id, sipTrunkId: trunk.id, toNumber };
}

/** Stores fields of an agent without this release's rules, as an earlier release did. */
export async function storeAgentFields(
  { modules, database, organizationId, actor }: TestServer,
  agentId: string,
  change: AgentChange,
): Promise<void> {
  await database.transaction(async (transaction) => {
    await modules.writer.write(transaction, { organizationId, actor }, agentId, (before) =>
      writeDocument(before, changeDocument(before.document, change)),
    );
  });
}

/** Call that begins to ring, as stored by its node. It has no known number unless `fields` names one. */
export function inboundCall(organizationId: string, fields: Partial<NewInboundCall> = {}): NewInboundCall {
  return {
    organizationId,
    agentId: randomUUID(),
    agentRevision: null,
    configurationRevision: 1,
    environment: null,
    phoneNumberId: null,
    sipTrunkId: null,
    fromNumber: null,
    toNumber: "+14155550123",
    nodeId: TEST_NODE_ID,
    sipCallId: randomUUID(),
    variables: {},
    postCallWebhookUrl: null,
    at: new Date(),
    ...fields,
  };
}

/** Creates a ringing call on a line of its own. */
export async function openTestCall(
  server: TestServer,
  fields: Partial<NewInboundCall> = {},
): Promise<{ callId: string; conversationId: string }> {
  const line = await createTestLine(server);
  return await server.modules.calls.openInbound(inboundCall(server.organizationId, { ...line, ...fields }));
}

function isJson(headers: Record<string, unknown>): boolean {
  return String(headers["content-type"]).startsWith("application/json");
}
