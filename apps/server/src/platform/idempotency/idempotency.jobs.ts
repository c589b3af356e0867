import type { JobKind } from "../jobs/jobs.ts";
import type { Idempotency } from "./idempotency.ts";

/** Every hour: answers that nobody may ask for again are removed. */
export function deleteExpiredAnswersJob(idempotency: Idempotency): JobKind<Record<string, never>> {
  return {
    name: "delete-expired-answers",
    cron: "37 * * * *",
    run: async () => {
      await idempotency.deleteExpired();
    },
  };
}
