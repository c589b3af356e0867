import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import type { JobKind } from "../../platform/jobs/jobs.ts";
import type { WebhookDelivery } from "./webhook-delivery.ts";
import { deleteEventsBefore } from "./webhooks.store.ts";
import { DELIVERY_JOB, type DeliveryJob } from "./webhooks.service.ts";

const CONCURRENCY = 20;
/** Retries, one minute apart, of runs that could not store their result; longer than a database outage. */
const RETRIES = 100;
/** Keeps events long after their last attempt, for customers' questions. */
const KEPT_MS = 30 * 24 * 60 * 60_000;

export function deliverWebhooksJob(delivery: WebhookDelivery): JobKind<DeliveryJob> {
  return {
    ...DELIVERY_JOB,
    concurrency: CONCURRENCY,
    // Servers that do not answer delay only webhooks of their own organization.
    isGrouped: true,
    retries: RETRIES,
    run: async (job) => await delivery.deliver(job),
  };
}

/** Hourly job that deletes events without further attempts. */
export function deleteOldWebhooksJob(database: Database, clock: Clock): JobKind<Record<string, never>> {
  return {
    name: "delete-old-webhooks",
    cron: "23 * * * *",
    run: async () => await deleteEventsBefore(database, new Date(clock.now().getTime() - KEPT_MS)),
  };
}
