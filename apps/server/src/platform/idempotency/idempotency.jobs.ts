import type { JobKind } from "../jobs/jobs.ts";
import type { Idempotency } from "./idempotency.ts";

/** Hourly job that deletes expired answers. */
export function deleteExpiredAnswersJob(idempotency: Idempotency): JobKind<Record<string, never>> {
  return {
    name: "delete-expired-answers",
    cron: "37 * * * *",
    run: async () => {
      await idempotency.deleteExpired();
    },
  };
}
