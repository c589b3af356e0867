import type { Queries } from "../../platform/database/database.ts";
import type { JobQueue } from "../../platform/jobs/jobs.ts";
import * as store from "./webhooks.store.ts";

const MINUTE_MS = 60_000;
/** After the first attempt has failed (the spec, part 6). */
const RETRY_DELAYS_MS = [1 * MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS] as const;

export const DELIVERY_JOB = { name: "deliver-webhook" } as const;

export interface DeliveryJob {
  eventId: string;
  /** Counts from 1: a job that runs twice delivers once. */
  attempt: number;
}

export interface NewWebhookEvent {
  organizationId: string;
  type: "call.post";
  subjectId: string;
  url: string;
}

export interface WebhookProgress {
  status: "pending" | "delivered" | "failed";
  attempts: number;
}

export interface AttemptOutcome {
  isDelivered: boolean;
  /** When it ended. */
  at: Date;
  answerStatus: number | null;
  answer: string | null;
  problem: string | null;
}

/** The events that customers' servers are told of. */
export class WebhooksService {
  readonly #jobs: JobQueue;

  constructor(jobs: JobQueue) {
    this.#jobs = jobs;
  }

  /** Inside the transaction of its cause: both are written, or none. */
  async announce(transaction: Queries, event: NewWebhookEvent, now: Date): Promise<void> {
    const eventId = await store.insertEvent(transaction, { ...event, createdAt: now });
    await this.#jobs.enqueue<DeliveryJob>(transaction, DELIVERY_JOB, { eventId, attempt: 1 });
  }

  /** Writes down an attempt, with the job of the next one; undefined where another run of it did so before. */
  async record(
    transaction: Queries,
    { eventId, attempt }: DeliveryJob,
    { isDelivered, at, ...outcome }: AttemptOutcome,
  ): Promise<WebhookProgress | undefined> {
    const row = await store.lockEvent(transaction, eventId);
    if (row === undefined || row.attempts !== attempt - 1) return undefined;
    const delayMs = isDelivered ? undefined : RETRY_DELAYS_MS[attempt - 1];
    const pendingOrFailed = delayMs === undefined ? ("failed" as const) : ("pending" as const);
    const progress = { status: isDelivered ? ("delivered" as const) : pendingOrFailed, attempts: attempt };
    await store.updateEvent(transaction, eventId, { ...progress, ...outcome, attemptedAt: at });
    if (delayMs !== undefined) {
      const next = { eventId, attempt: attempt + 1 };
      const startAfter = new Date(at.getTime() + delayMs);
      await this.#jobs.enqueue<DeliveryJob>(transaction, DELIVERY_JOB, next, startAfter);
    }
    return progress;
  }
}
