import type { JobKind } from "../../platform/jobs/jobs.ts";
import type { WebhookDelivery } from "./webhook-delivery.ts";
import { DELIVERY_JOB, type DeliveryJob } from "./webhooks.service.ts";

/** Servers that do not answer hold up others only when there are this many of them. */
const CONCURRENCY = 20;
/** Of runs that could not write down how they went: at a minute's distance, longer than a database is away. */
const RETRIES = 100;

export function deliverWebhooksJob(delivery: WebhookDelivery): JobKind<DeliveryJob> {
  return {
    ...DELIVERY_JOB,
    concurrency: CONCURRENCY,
    retries: RETRIES,
    run: async (job) => await delivery.deliver(job),
  };
}
