import { randomUUID } from "node:crypto";
import type { CallPostData, CallPreData, MessageReceivedData, WebhookType } from "@parley/contract";
import type { Database, Queries } from "../../platform/database/database.ts";
import type { JobGroup, JobQueue } from "../../platform/jobs/jobs.ts";
import type { OrganizationLimitsService } from "../organizations/organization-limits.ts";
import * as store from "./webhooks.store.ts";

const MINUTE_MS = 60_000;
/** Delays of the retries, from the end of the first attempt. */
const RETRY_DELAYS_MS = [1 * MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS] as const;

export const DELIVERY_JOB = { name: "deliver-webhook" } as const;

/** One attempt, either scheduled or requested through the API. A job that runs twice delivers once. */
export type DeliveryJob = { eventId: string } & ({ dueAt: string } | { resendId: string });

export type NewWebhookEvent = { organizationId: string; url: string } & (
  | { type: "call.post"; callId: string; agentId: string; firstAttemptAt: Date }
  | { type: "message.received"; data: MessageReceivedData }
);

export interface WebhookProgress {
  status: "pending" | "delivered" | "failed";
  attempts: number;
}

/** Result of a request to a customer's server. */
export interface WebhookAttempt {
  startedAt: Date;
  durationMs: number;
  answerStatus: number | null;
  /** Beginning of the answer. */
  answer: string | null;
  /** `null` if the server accepted the event. */
  problem: string | null;
}

/** Facts about an event when it is announced. */
interface EventFacts {
  id: string;
  type: WebhookType;
  createdAt: Date;
}

export interface ToldEvent extends EventFacts {
  organizationId: string;
  subjectId: string;
  agentId: string;
  url: string;
  body: string;
}

/** Body of an event's requests, as described by the contract. */
export function buildBody(
  { id, type, createdAt }: EventFacts,
  data: CallPreData | CallPostData | MessageReceivedData,
): string {
  return JSON.stringify({ type, id, createdAt: createdAt.toISOString(), data });
}

const REDACTED = {
  transcript: { transcript: [], extraction: null, evaluation: null },
  recording: { recordingUrl: null },
} as const;

function redactBody(body: string, part: keyof typeof REDACTED): string {
  const event = JSON.parse(body) as { data: CallPostData };
  const analysisStatus = event.data.analysisStatus === null ? null : ("deleted" as const);
  const changed = { ...REDACTED[part], ...(part === "transcript" && { analysisStatus }) };
  return JSON.stringify({ ...event, data: { ...event.data, ...changed } });
}

/** Events for customers' servers. */
export class WebhooksService {
  readonly #jobs: JobQueue;
  readonly #limits: Pick<OrganizationLimitsService, "find">;

  constructor(jobs: JobQueue, limits: Pick<OrganizationLimitsService, "find">) {
    this.#jobs = jobs;
    this.#limits = limits;
  }

  /** Announces an event in the transaction of its cause, so that both are stored or neither is. */
  async announce(transaction: Queries, event: NewWebhookEvent, now: Date): Promise<void> {
    const { organizationId, type, url } = event;
    const facts = { id: randomUUID(), type, createdAt: now };
    const isSettled = event.type === "message.received";
    const nextAttemptAt = isSettled ? now : event.firstAttemptAt;
    await store.insertEvent(transaction, {
      ...facts,
      organizationId,
      url,
      nextAttemptAt,
      subjectId: isSettled ? event.data.id : event.callId,
      agentId: isSettled ? event.data.agentId : event.agentId,
      body: isSettled ? buildBody(facts, event.data) : null,
    });
    await this.#enqueueDue(transaction, { id: facts.id, organizationId }, nextAttemptAt);
  }

  /** Stores an event that was already sent and has no further attempts. */
  async log(transaction: Queries, event: ToldEvent, attempt: WebhookAttempt): Promise<void> {
    const status = attempt.problem === null ? ("delivered" as const) : ("failed" as const);
    await store.insertEvent(transaction, { ...event, status, attempts: 1 });
    await store.insertAttempt(transaction, { ...attempt, eventId: event.id, isResend: false });
  }

  /** Makes the first attempts of a call's events due now. Runs in the transaction that completes the call's results. */
  async hasten(transaction: Queries, organizationId: string, callId: string, now: Date): Promise<void> {
    for (const id of await store.hastenFirstAttempts(transaction, callId, now))
      await this.#enqueueDue(transaction, { id, organizationId }, now);
  }

  /** Deletes the events of a call, sent or not. */
  async deleteOfCall(database: Database, callId: string): Promise<void> {
    await store.deleteEventsOf(database, callId);
  }

  /** Removes deleted parts of a call from the stored bodies of its `call.post` events, which keep the same id. Idempotent. */
  async redact(database: Database, callId: string, part: "transcript" | "recording"): Promise<void> {
    await database.transaction(async (transaction) => {
      for (const { id, type, body } of await store.lockEventsOf(transaction, callId)) {
        if (type !== "call.post") continue;
        if (body !== null) await store.updateEvent(transaction, id, { body: redactBody(body, part) });
        if (part === "transcript") await store.deleteAnswers(transaction, id);
      }
    });
  }

  /** Sends a sent event again, in addition to its scheduled attempts. */
  async resend(transaction: Queries, event: { id: string; organizationId: string }): Promise<void> {
    const job: DeliveryJob = { eventId: event.id, resendId: randomUUID() };
    const group = await this.#groupOf(transaction, event.organizationId);
    await this.#jobs.enqueue(transaction, DELIVERY_JOB, job, { group });
  }

  /** Returns the event if the job's attempt is still to be made. */
  async find(database: Database, job: DeliveryJob): Promise<store.WebhookEventRow | undefined> {
    const row = await store.findEvent(database, job.eventId);
    return row !== undefined && (await isToDo(database, row, job)) ? row : undefined;
  }

  /** Stores an attempt with the job of the next one; `undefined` if another run of the job stored it before. */
  async record(
    transaction: Queries,
    job: DeliveryJob,
    attempt: WebhookAttempt,
  ): Promise<WebhookProgress | undefined> {
    const row = await store.lockEvent(transaction, job.eventId);
    if (row === undefined || !(await isToDo(transaction, row, job))) return undefined;
    const isResend = "resendId" in job;
    const id = isResend ? job.resendId : randomUUID();
    await store.insertAttempt(transaction, { ...attempt, id, eventId: row.id, isResend });
    const next = progressAfter(row, attempt, isResend);
    await store.updateEvent(transaction, row.id, next);
    if (!isResend && next.nextAttemptAt !== null)
      await this.#enqueueDue(transaction, row, next.nextAttemptAt);
    return next;
  }

  async #enqueueDue(
    transaction: Queries,
    { id, organizationId }: { id: string; organizationId: string },
    at: Date,
  ): Promise<void> {
    const job: DeliveryJob = { eventId: id, dueAt: at.toISOString() };
    const group = await this.#groupOf(transaction, organizationId);
    await this.#jobs.enqueue(transaction, DELIVERY_JOB, job, { startAfter: at, group });
  }

  async #groupOf(transaction: Queries, organizationId: string): Promise<JobGroup> {
    const { concurrentWebhooks } = await this.#limits.find(organizationId, transaction);
    return { id: organizationId, concurrency: concurrentWebhooks };
  }
}

async function isToDo(queries: Queries, row: store.WebhookEventRow, job: DeliveryJob): Promise<boolean> {
  if ("resendId" in job) return !(await store.hasAttempt(queries, job.resendId));
  return row.nextAttemptAt?.toISOString() === job.dueAt;
}

type Progress = WebhookProgress & { nextAttemptAt: Date | null };

function progressAfter(
  { status, attempts, nextAttemptAt }: store.WebhookEventRow,
  { startedAt, durationMs, problem }: WebhookAttempt,
  isResend: boolean,
): Progress {
  const made = isResend ? attempts : attempts + 1;
  if (problem === null) return { status: "delivered", attempts: made, nextAttemptAt: null };
  if (isResend) return { status, attempts, nextAttemptAt };
  const endedAt = new Date(startedAt.getTime() + durationMs);
  const next = nextRetry(attempts, nextAttemptAt ?? startedAt, endedAt);
  return { status: next === null ? "failed" : "pending", attempts: made, nextAttemptAt: next };
}

/** Returns the time of the retry after the attempt that was due at `dueAt`; `null` if it was the last one. */
function nextRetry(attempts: number, dueAt: Date, endedAt: Date): Date | null {
  const delayMs = RETRY_DELAYS_MS[attempts];
  if (delayMs === undefined) return null;
  const previousMs = RETRY_DELAYS_MS[attempts - 1];
  if (previousMs === undefined) return new Date(endedAt.getTime() + delayMs);
  const plannedAt = dueAt.getTime() + delayMs - previousMs;
  // A node that was stopped meanwhile does not make all overdue attempts at once.
  return new Date(Math.max(plannedAt, endedAt.getTime() + MINUTE_MS));
}
