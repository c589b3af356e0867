import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import { deleteClearedAttempts } from "../../platform/rate-limit/attempt-limiter.ts";
import type { JobKind } from "../../platform/jobs/jobs.ts";
import type { InvitationsService } from "./members/invitations.service.ts";
import { deleteExpired } from "./identity.store.ts";

/**
 * Hourly job that deletes expired sessions and verifications, invitations that expired long ago, and attempts that no longer
 * count.
 */
export function deleteExpiredIdentitiesJob(
  database: Database,
  clock: Clock,
  invitations: InvitationsService,
): JobKind<Record<string, never>> {
  return {
    name: "delete-expired-identities",
    cron: "17 * * * *",
    run: async () => {
      await deleteExpired(database, clock.now());
      await invitations.deleteExpired();
      await deleteClearedAttempts(database, clock.now());
    },
  };
}
