import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createFeatures } from "../../apps/server/src/node/features.ts";
import { createTestResources } from "../../apps/server/src/node/testing.ts";
import { systemClock } from "../../apps/server/src/platform/clock.ts";
import { ClosingStack } from "../../apps/server/src/platform/closing-stack.ts";
import { parseConfig } from "../../apps/server/src/platform/config/config.ts";
import { connectDatabase } from "../../apps/server/src/platform/database/connect.ts";
import { createHttpServer } from "../../apps/server/src/platform/http/http-server.ts";
import { Idempotency } from "../../apps/server/src/platform/idempotency/idempotency.ts";
import { createLogger } from "../../apps/server/src/platform/logging/logging.ts";
import { RateLimiter } from "../../apps/server/src/platform/rate-limit/rate-limiter.ts";
import { serve } from "../support/peer.ts";

/** A node's part in chats, with its HTTP server and a PostgreSQL of its own. */
export type NodeMethods = {
  start: (modelUrl: string) => Promise<{ url: string; widgetKey: string }>;
  /** Resident memory in KiB, after a collection. */
  measureMemory: (argument: undefined) => Promise<number>;
  stop: (argument: undefined) => Promise<void>;
};

/** More connections from this machine than a server accepts from one client. */
const CONNECTIONS = 4_000;
const closers: (() => Promise<void>)[] = [];

async function start(modelUrl: string): Promise<{ url: string; widgetKey: string }> {
  const dataDirectory = await mkdtemp(path.join(tmpdir(), "parley-bench-chat-"));
  closers.unshift(async () => await rm(dataDirectory, { recursive: true, force: true }));
  const logger = createLogger({ level: "silent" });
  const connection = await connectDatabase(
    { dataDirectory, database: undefined, encryptionKeys: undefined },
    logger,
  );
  closers.unshift(connection.close);
  const { database, encryption } = connection;
  const { config } = parseConfig({
    PARLEY_DATA_DIR: dataDirectory,
    PARLEY_LLM_BASE_URL: modelUrl,
    PARLEY_LLM_MODEL: "scripted",
  });
  const features = createFeatures(createTestResources({ database, encryption, config }));
  const { services: modules } = features;
  const started = new ClosingStack();
  features.closeWith(started);
  closers.unshift(async () => await started.close());
  const app = await createHttpServer({
    logger,
    authenticate: async (key) => await modules.apiKeys.authenticate(key),
    idempotency: new Idempotency(database, encryption, systemClock),
    rateLimiter: new RateLimiter(database, systemClock, (id) => modules.organizationLimits.find(id)),
    findLimits: (id) => modules.organizationLimits.find(id),
    // Each visitor has an address of their own.
    trustedProxies: ["127.0.0.1"],
    limits: { connections: CONNECTIONS, connectionsOfSource: CONNECTIONS },
  });
  features.bindRoutes(app);
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  closers.unshift(async () => {
    app.server.closeAllConnections();
    await app.close();
  });
  const { id: organizationId } = await modules.organizations.ensure(database, "bench", "Bench");
  const by = { organizationId, actor: { type: "system" as const, name: "bench" } };
  const widgetConfig = { enabled: true, limits: { messagesPerDay: 100_000 } };
  const agent = await modules.agents.create(by, { name: "Bench", widgetConfig });
  return { url, widgetKey: agent.widgetKey };
}

async function measureMemory(): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect === "function") collect();
  return process.memoryUsage().rss / 1024;
}

const methods: NodeMethods = {
  start,
  measureMemory,
  stop: async () => {
    for (const close of closers.splice(0)) await close();
  },
};

serve(methods);
