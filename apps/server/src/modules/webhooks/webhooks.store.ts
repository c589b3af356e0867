import { and, eq, isNull, lt } from "drizzle-orm";
import type { Queries } from "../../platform/database/database.ts";
import { webhookEvents } from "./webhooks.tables.ts";

export type WebhookEventRow = typeof webhookEvents.$inferSelect;
type WebhookEventInsert = typeof webhookEvents.$inferInsert;

export async function insertEvent(queries: Queries, event: WebhookEventInsert): Promise<string> {
  const [row] = await queries.insert(webhookEvents).values(event).returning({ id: webhookEvents.id });
  if (row === undefined) throw new Error("the event was not stored");
  return row.id;
}

export async function findEvent(queries: Queries, id: string): Promise<WebhookEventRow | undefined> {
  const [row] = await queries.select().from(webhookEvents).where(eq(webhookEvents.id, id));
  return row;
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

/** The first body that is stored stays; returns it. */
export async function freezeBody(queries: Queries, id: string, body: string): Promise<string> {
  await queries
    .update(webhookEvents)
    .set({ body })
    .where(and(eq(webhookEvents.id, id), isNull(webhookEvents.body)));
  return (await findEvent(queries, id))?.body ?? body;
}

export async function deleteEventsBefore(queries: Queries, before: Date): Promise<void> {
  await queries.delete(webhookEvents).where(lt(webhookEvents.createdAt, before));
}
