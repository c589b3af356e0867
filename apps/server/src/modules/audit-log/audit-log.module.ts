import { listAuditLogRoute } from "@parley/contract";
import { bindRoute } from "../../platform/http/bind-route.ts";
import type { Feature, NodeResources } from "../feature.ts";
import { deleteOldEntriesJob } from "./audit-log.jobs.ts";
import { AuditLogService } from "./audit-log.service.ts";

export function createAuditLog({ config, database, clock }: NodeResources) {
  const auditLog = new AuditLogService(database, clock);
  return {
    services: { auditLog },
    bindRoutes: (app) =>
      bindRoute(
        app,
        listAuditLogRoute,
        async ({ principal, query }) => await auditLog.list(principal.organizationId, query),
      ),
    startJobs: async (jobs) => await jobs.work(deleteOldEntriesJob(auditLog, config.auditLogDays)),
  } satisfies Feature;
}
