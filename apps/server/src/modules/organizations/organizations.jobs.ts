import type { Clock } from "../../platform/clock.ts";
import type { JobKind } from "../../platform/jobs/jobs.ts";
import type { OrganizationsService } from "./organizations.service.ts";

/** Hourly job that deletes expired sessions and verifications. */
export function deleteExpiredIdentitiesJob(
  organizations: OrganizationsService,
  clock: Clock,
): JobKind<Record<string, never>> {
  return {
    name: "delete-expired-identities",
    cron: "17 * * * *",
    run: async () => {
      await organizations.deleteExpiredIdentities(clock.now());
    },
  };
}
