import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fastify } from "fastify";
import { createFeatures } from "../../apps/server/src/node/features.ts";
import { createTestResources } from "../../apps/server/src/node/testing.ts";
import type { Database } from "../../apps/server/src/platform/database/database.ts";
import { systemClock } from "../../apps/server/src/platform/clock.ts";
import { ClosingStack } from "../../apps/server/src/platform/closing-stack.ts";
import { connectDatabase } from "../../apps/server/src/platform/database/connect.ts";
import { createHttpServer } from "../../apps/server/src/platform/http/http-server.ts";
import { Idempotency } from "../../apps/server/src/platform/idempotency/idempotency.ts";
import { createLogger } from "../../apps/server/src/platform/logging/logging.ts";
import { RateLimiter } from "../../apps/server/src/platform/rate-limit/rate-limiter.ts";
import { serve } from "../support/peer.ts";

/** The platform's API and bare routes that run its SQL, in one process on one database. */
export type ServersMethods = {
  start: (argument: undefined) => Promise<Servers>;
  stop: (argument: undefined) => Promise<void>;
};

export interface Servers {
  platformUrl: string;
  bareUrl: string;
  apiKey: string;
  agentIds: string[];
}

interface Statement {
  text: string;
  values: unknown[];
}

type Pool = Database["$client"];

interface AgentRow {
  document: object;
  revision: number;
}

const AGENTS = 200;
const closers: (() => Promise<void>)[] = [];

async function start(): Promise<Servers> {
  const dataDirectory = await mkdtemp(path.join(tmpdir(), "parley-bench-api-"));
  closers.unshift(async () => await rm(dataDirectory, { recursive: true, force: true }));
  const { database, encryption, close } = await connectDatabase(
    {
      dataDirectory,
      database: undefined,
      encryptionKeys: undefined,
    },
    createLogger({ level: "silent" }),
  );
  closers.unshift(close);
  const features = createFeatures(createTestResources({ database, encryption }));
  const { services: modules } = features;
  const started = new ClosingStack();
  features.closeWith(started);
  closers.unshift(async () => await started.close());
  const { id: organizationId } = await modules.organizations.ensure(database, "bench", "Bench");
  // The measure is what the node can do, not what an organization may.
  await modules.organizationLimits.override(database, organizationId, { requestsPerSecond: 1_000_000 });
  const { key: apiKey } = await modules.apiKeys.create(organizationId, "bench", null);
  const by = { organizationId, actor: { type: "api_key", name: "bench" } } as const;
  const trunk = await modules.sipTrunks.create(organizationId, { friendlyName: "Trunk" });
  const agentIds: string[] = [];
  for (let index = 0; index < AGENTS; index++) {
    const creation = { name: `Agent ${index}`, sipTrunkId: trunk.id, promptTemplate: "x".repeat(2_000) };
    agentIds.push((await modules.agents.create(by, creation)).id);
  }

  const platform = await createHttpServer({
    logger: createLogger({ level: "silent" }),
    authenticate: async (key) => await modules.apiKeys.authenticate(key),
    idempotency: new Idempotency(database, encryption, systemClock),
    rateLimiter: new RateLimiter(database, systemClock, (id) => modules.organizationLimits.find(id)),
    findLimits: (id) => modules.organizationLimits.find(id),
  });
  features.bindRoutes(platform);
  const headers = { "x-api-key": apiKey };
  const [first = ""] = agentIds;
  const record = async (run: () => Promise<unknown>) => await recordStatements(database.$client, run);
  const send = async (method: "GET" | "PATCH", url: string, payload?: object) =>
    await platform.inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) });
  await send("GET", "/v1/agents");
  const statements = {
    get: await record(async () => await send("GET", `/v1/agents/${first}`)),
    list: await record(async () => await send("GET", "/v1/agents")),
    patch: await record(async () => await send("PATCH", `/v1/agents/${first}`, { firstMessage: "Hello" })),
  };
  const bare = createBareServer(database.$client, first, statements);
  const platformUrl = await platform.listen({ host: "127.0.0.1", port: 0 });
  const bareUrl = await bare.listen({ host: "127.0.0.1", port: 0 });
  closers.unshift(async () => await Promise.all([platform.close(), bare.close()]).then(() => {}));
  return { platformUrl, bareUrl, apiKey, agentIds };
}

/** Statements sent to the pool and its clients while `run` runs, in order. */
async function recordStatements(pool: Pool, run: () => Promise<unknown>): Promise<Statement[]> {
  const statements: Statement[] = [];
  const note = (query: unknown, values: unknown): void => {
    const text = typeof query === "string" ? query : (query as { text: string }).text;
    statements.push({ text, values: Array.isArray(values) ? values : [] });
  };
  const client = await pool.connect();
  const prototype = Object.getPrototypeOf(client) as { query: (...parameters: unknown[]) => unknown };
  client.release();
  const { query } = prototype;
  prototype.query = function recording(...parameters) {
    note(parameters[0], parameters[1]);
    return query.apply(this, parameters);
  };
  try {
    await run();
  } finally {
    prototype.query = query;
  }
  return statements;
}

/** Routes without authentication, validation or answer schemas: the same SQL, with its rows as JSON. */
function createBareServer(
  pool: Pool,
  recordedId: string,
  statements: Record<"get" | "list" | "patch", Statement[]>,
) {
  const app = fastify();
  const run = async (of: Statement[], id: string) =>
    await Promise.all(
      of.map(async ({ text, values }) => {
        const { rows } = await pool.query(
          text,
          values.map((value) => (value === recordedId ? id : value)),
        );
        return rows as unknown[];
      }),
    );
  app.get<{ Params: { id: string } }>("/agents/:id", async ({ params }) => ({
    data: await run(statements.get, params.id),
  }));
  app.get("/agents", async () => ({ data: await run(statements.list, recordedId) }));
  app.patch<{ Params: { id: string } }>("/agents/:id", async ({ params, body: sent }) => {
    const body = sent as object;
    const client = await pool.connect();
    let row: AgentRow | undefined;
    try {
      for (const { text, values } of statements.patch) {
        const { rows } = await client.query<AgentRow>(
          text,
          values.map((value) => renew(value, recordedId, params.id, body, row)),
        );
        if (/^select .* from "agents" .* for update/.test(text)) [row] = rows;
      }
    } finally {
      client.release();
    }
    return { data: { ...row, document: { ...row?.document, ...body } } };
  });
  return app;
}

/** Parameter of a recorded write, adapted to another agent: its id, document and revision, and the time. */
function renew(
  value: unknown,
  recordedId: string,
  id: string,
  body: object,
  row: AgentRow | undefined,
): unknown {
  if (value === recordedId) return id;
  if (row === undefined) return value;
  if (typeof value === "string" && value.includes('"schemaVersion"'))
    return JSON.stringify({ ...row.document, ...body });
  // The recorded write created the agent's second version.
  return value === 2 ? row.revision + 1 : value;
}

async function stop(): Promise<void> {
  for (const close of closers.splice(0)) await close();
}

serve({ start, stop });
