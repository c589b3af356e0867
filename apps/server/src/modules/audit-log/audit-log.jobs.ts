import type { JobKind } from "../../platform/jobs/jobs.ts";
import type { AuditLogService } from "./audit-log.service.ts";

/** Hourly job that deletes old entries, so that each run deletes few. */
export function deleteOldEntriesJob(auditLog: AuditLogService, days: number): JobKind<Record<string, never>> {
  return {
    name: "delete-old-audit-log-entries",
    cron: "27 * * * *",
    run: async () => await auditLog.deleteOlderThan(days),
  };
}
