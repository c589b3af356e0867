import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import type { JobKind } from "../../platform/jobs/jobs.ts";
import type { WebhookDelivery } from "./webhook-delivery.ts";
import { deleteEventsBefore } from "./webhooks.store.ts";
import { DELIVERY_JOB, type DeliveryJob } from "./webhooks.service.ts";

const CONCURRENCY = 20;
/** Servers that do not answer hold up those of their own organization, and no other's. */
const CONCURRENCY_PER_ORGANIZATION = 5;
/** Of runs that could not write down how they went: at a minute's distance, longer than a database is away. */
const RETRIES = 100;
/** Long after the last attempt: what a customer may still ask about. */
const KEPT_MS = 30 * 24 * 60 * 60_000;

export function deliverWebhooksJob(delivery: WebhookDelivery): JobKind<DeliveryJob> {
  return {
    ...DELIVERY_JOB,
    concurrency: CONCURRENCY,
    concurrencyPerGroup: CONCURRENCY_PER_ORGANIZATION,
    retries: RETRIES,
    run: async (job) => await delivery.deliver(job),
  };
}

/** Every hour: events of which nothing more will be told are deleted. */
export function deleteOldWebhooksJob(database: Database, clock: Clock): JobKind<Record<string, never>> {
  return {
    name: "delete-old-webhooks",
    cron: "23 * * * *",
    run: async () => await deleteEventsBefore(database, new Date(clock.now().getTime() - KEPT_MS)),
  };
}
