import type { PageQuery, WebhookType } from "@parley/contract";
import { type SQL, and, asc, eq, getTableColumns, gt, gte, isNull, lt } from "drizzle-orm";
import type { Queries } from "../../platform/database/database.ts";
import { countRows, type Rows, pageOf } from "../../platform/database/page.ts";
import { webhookAttempts, webhookEvents } from "./webhooks.tables.ts";

export type WebhookEventRow = typeof webhookEvents.$inferSelect;
export type WebhookAttemptRow = typeof webhookAttempts.$inferSelect;
type WebhookEventInsert = typeof webhookEvents.$inferInsert;
type WebhookAttemptInsert = typeof webhookAttempts.$inferInsert;

export interface DeliveryFilter extends PageQuery {
  type?: WebhookType;
  status?: "pending" | "delivered" | "failed";
  callId?: string;
  agentId?: string;
  createdAfter?: string;
  createdBefore?: string;
}

export async function insertEvent(queries: Queries, event: WebhookEventInsert): Promise<void> {
  await queries.insert(webhookEvents).values(event);
}

export async function findEvent(queries: Queries, id: string): Promise<WebhookEventRow | undefined> {
  const [row] = await queries.select().from(webhookEvents).where(eq(webhookEvents.id, id));
  return row;
}

export async function findEventOf(
  queries: Queries,
  organizationId: string,
  id: string,
): Promise<WebhookEventRow | undefined> {
  const where = and(eq(webhookEvents.organizationId, organizationId), eq(webhookEvents.id, id));
  const [row] = await queries.select().from(webhookEvents).where(where);
  return row;
}

/** Lists events without their bodies, which could make a page large. */
export async function listEvents(
  queries: Queries,
  organizationId: string,
  filter: DeliveryFilter,
): Promise<Rows<Omit<WebhookEventRow, "body">>> {
  const conditions: SQL[] = [eq(webhookEvents.organizationId, organizationId)];
  if (filter.type !== undefined) conditions.push(eq(webhookEvents.type, filter.type));
  if (filter.status !== undefined) conditions.push(eq(webhookEvents.status, filter.status));
  if (filter.callId !== undefined) conditions.push(eq(webhookEvents.subjectId, filter.callId));
  if (filter.agentId !== undefined) conditions.push(eq(webhookEvents.agentId, filter.agentId));
  if (filter.createdAfter !== undefined)
    conditions.push(gte(webhookEvents.createdAt, new Date(filter.createdAfter)));
  if (filter.createdBefore !== undefined)
    conditions.push(lt(webhookEvents.createdAt, new Date(filter.createdBefore)));
  const where = and(...conditions);
  const { limit, offset, orderBy } = pageOf(filter, webhookEvents.createdAt, webhookEvents.id);
  const { body: _body, ...columns } = getTableColumns(webhookEvents);
  const rows = await queries
    .select(columns)
    .from(webhookEvents)
    .where(where)
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);
  return { rows, total: await countRows(queries, webhookEvents, where) };
}

export async function lockEvent(queries: Queries, id: string): Promise<WebhookEventRow | undefined> {
  const [row] = await queries.select().from(webhookEvents).where(eq(webhookEvents.id, id)).for("update");
  return row;
}

export async function updateEvent(
  queries: Queries,
  id: string,
  change: Partial<WebhookEventInsert>,
): Promise<void> {
  await queries.update(webhookEvents).set(change).where(eq(webhookEvents.id, id));
}

/** Makes first attempts that wait for their event's data due at `at`; returns the events. */
export async function hastenFirstAttempts(queries: Queries, subjectId: string, at: Date): Promise<string[]> {
  const isWaiting = and(isNull(webhookEvents.body), eq(webhookEvents.attempts, 0));
  const rows = await queries
    .update(webhookEvents)
    .set({ nextAttemptAt: at })
    .where(and(eq(webhookEvents.subjectId, subjectId), isWaiting, gt(webhookEvents.nextAttemptAt, at)))
    .returning({ id: webhookEvents.id });
  return rows.map(({ id }) => id);
}

/** Locks all events of a call. */
export async function lockEventsOf(queries: Queries, subjectId: string): Promise<WebhookEventRow[]> {
  return await queries
    .select()
    .from(webhookEvents)
    .where(eq(webhookEvents.subjectId, subjectId))
    .orderBy(asc(webhookEvents.id))
    .for("update");
}

export async function deleteEventsOf(queries: Queries, subjectId: string): Promise<void> {
  await queries.delete(webhookEvents).where(eq(webhookEvents.subjectId, subjectId));
}

export async function deleteAnswers(queries: Queries, eventId: string): Promise<void> {
  await queries.update(webhookAttempts).set({ answer: null }).where(eq(webhookAttempts.eventId, eventId));
}

export async function insertAttempt(queries: Queries, attempt: WebhookAttemptInsert): Promise<void> {
  await queries.insert(webhookAttempts).values(attempt);
}

export async function hasAttempt(queries: Queries, id: string): Promise<boolean> {
  const rows = await queries
    .select({ id: webhookAttempts.id })
    .from(webhookAttempts)
    .where(eq(webhookAttempts.id, id));
  return rows.length > 0;
}

export async function listAttempts(queries: Queries, eventId: string): Promise<WebhookAttemptRow[]> {
  return await queries
    .select()
    .from(webhookAttempts)
    .where(eq(webhookAttempts.eventId, eventId))
    .orderBy(asc(webhookAttempts.startedAt));
}

export async function deleteEventsBefore(queries: Queries, before: Date): Promise<void> {
  await queries.delete(webhookEvents).where(lt(webhookEvents.createdAt, before));
}
