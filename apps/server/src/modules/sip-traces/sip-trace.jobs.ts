import type { Clock } from "../../platform/clock.ts";
import type { JobKind } from "../../platform/jobs/jobs.ts";
import type { SipTracesService } from "./sip-trace.service.ts";

/** Every hour: deletes SIP messages older than the retention time. */
export function deleteExpiredTracesJob(
  traces: SipTracesService,
  days: number,
  clock: Clock,
): JobKind<Record<string, never>> {
  return {
    name: "delete-expired-call-traces",
    cron: "41 * * * *",
    run: async () => await traces.deleteExpired(days, clock.now()),
  };
}
