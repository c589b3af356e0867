import { fileURLToPath } from "node:url";
import { sections } from "@parley/dashboard/sections";
import type { FastifyInstance } from "fastify";
import { registerDiagnosis } from "../doctor/diagnosis.routes.ts";
import type { CheckResult } from "../doctor/finding.ts";
import { createHttpServer } from "../platform/http/http-server.ts";
import { registerPages } from "../platform/http/pages/pages.ts";
import { registerProbes } from "../platform/http/probes.ts";
import { deleteExpiredAnswersJob } from "../platform/idempotency/idempotency.jobs.ts";
import { Idempotency } from "../platform/idempotency/idempotency.ts";
import { registerFolderRoutes } from "../platform/object-storage/folder-routes.ts";
import { FolderStorage } from "../platform/object-storage/folder-storage.ts";
import { type FindLimits, RateLimiter } from "../platform/rate-limit/rate-limiter.ts";
import type { Services } from "./features.ts";
import type { OpenedResources } from "./resources.ts";

/** HTTP server of a node, with all routes that belong to no feature. */
export async function createHttpApp(
  node: OpenedResources,
  {
    apiKeys,
    sessions,
    auditLog,
    sipTrunks,
    organizationLimits,
  }: Pick<Services, "apiKeys" | "sessions" | "auditLog" | "sipTrunks" | "organizationLimits">,
): Promise<FastifyInstance> {
  const { config, logger, database, encryption, clock, readiness, findWarnings, metrics, storage, jobs } =
    node;
  const idempotency = new Idempotency(database, encryption, clock);
  await jobs.work(deleteExpiredAnswersJob(idempotency));
  const findLimits: FindLimits = async (id) => await organizationLimits.find(id);
  const app = await createHttpServer({
    logger,
    authenticate: async (key) => await apiKeys.authenticate(key),
    authenticateSession: async (cookies) => await sessions.authenticate(cookies),
    findSessionUser: async (cookies) => await sessions.findUser(cookies),
    recordAction: async (action) => await auditLog.record(action),
    publicUrl: config.web.publicUrl,
    trustedProxies: config.http.trustedProxies,
    idempotency,
    rateLimiter: new RateLimiter(database, clock, findLimits),
    findLimits,
  });
  registerProbes(app, { findObstacles: async () => readiness.obstacles, findWarnings, metrics });
  const { operatorApiKey, objectStorage, web } = config;
  const diagnose = async (): Promise<CheckResult[]> => {
    // Loaded on demand, because it is rarely used.
    const { examineNode } = await import("../doctor/examine-node.ts");
    return await examineNode({ ...node, sipTrunks });
  };
  registerDiagnosis(app, { operatorApiKey, diagnose });
  if (storage instanceof FolderStorage) registerFolderRoutes(app, storage, clock);
  registerPages(app, {
    sections: sections.map(({ path }) => path),
    findFolder: findPages,
    callUrl: web.publicUrl,
    recordingUrl: objectStorage.type === "s3" ? objectStorage.endpoint : undefined,
    sourceFolder: config.isDevelopment ? dashboardSources() : undefined,
  });
  return app;
}

function dashboardSources(): string {
  return fileURLToPath(new URL("src", import.meta.resolve("@parley/dashboard")));
}

async function findPages(): Promise<string> {
  const dashboard = await import("@parley/dashboard");
  return await dashboard.findPages();
}
