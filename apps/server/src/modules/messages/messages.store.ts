import type { MessageDirection, MessageStatus, PageQuery } from "@parley/contract";
import { type SQL, and, asc, count, eq, gte, inArray, isNull, lt, lte, or, sql } from "drizzle-orm";
import type { Queries } from "../../platform/database/database.ts";
import { countRows, type Rows, pageOf } from "../../platform/database/page.ts";
import { messages, messageSenders, messageThreads } from "./messages.tables.ts";

export type MessageRow = typeof messages.$inferSelect;
export type MessageInsert = typeof messages.$inferInsert;
export type ThreadRow = typeof messageThreads.$inferSelect;

/** The numbers of a thread and the connection between them. */
export type ThreadKey = Pick<ThreadRow, "messagingConnectionId" | "ownNumber" | "otherNumber">;

export interface MessageFilter extends PageQuery {
  agentId?: string;
  messagingConnectionId?: string;
  conversationId?: string;
  callId?: string;
  /** E.164, of either side. */
  number?: string;
  direction?: MessageDirection;
  status?: MessageStatus;
  createdAfter?: string;
  createdBefore?: string;
}

/** Returns `undefined` if the provider's id is already known. */
export async function insertMessage(
  queries: Queries,
  message: MessageInsert,
): Promise<MessageRow | undefined> {
  const [row] = await queries.insert(messages).values(message).onConflictDoNothing().returning();
  return row;
}

export async function findMessage(
  queries: Queries,
  organizationId: string,
  id: string,
): Promise<MessageRow | undefined> {
  const where = and(eq(messages.organizationId, organizationId), eq(messages.id, id));
  const [row] = await queries.select().from(messages).where(where);
  return row;
}

export async function lockMessage(queries: Queries, id: string): Promise<MessageRow | undefined> {
  const [row] = await queries.select().from(messages).where(eq(messages.id, id)).for("update");
  return row;
}

export async function updateMessage(
  queries: Queries,
  id: string,
  change: Partial<MessageInsert>,
): Promise<void> {
  await queries.update(messages).set(change).where(eq(messages.id, id));
}

export async function deleteMessage(queries: Queries, id: string): Promise<void> {
  await queries.delete(messages).where(eq(messages.id, id));
}

export async function listMessages(
  queries: Queries,
  organizationId: string,
  filter: MessageFilter,
): Promise<Rows<MessageRow>> {
  const conditions: (SQL | undefined)[] = [eq(messages.organizationId, organizationId)];
  for (const name of [
    "agentId",
    "messagingConnectionId",
    "conversationId",
    "callId",
    "direction",
    "status",
  ] as const)
    if (filter[name] !== undefined) conditions.push(eq(messages[name], filter[name]));
  const { number, createdAfter, createdBefore } = filter;
  if (number !== undefined)
    conditions.push(or(eq(messages.fromNumber, number), eq(messages.toNumber, number)));
  if (createdAfter !== undefined) conditions.push(gte(messages.createdAt, new Date(createdAfter)));
  if (createdBefore !== undefined) conditions.push(lt(messages.createdAt, new Date(createdBefore)));
  const where = and(...conditions);
  const { limit, offset, orderBy } = pageOf(filter, messages.createdAt, messages.id);
  const rows = await queries
    .select()
    .from(messages)
    .where(where)
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);
  return { rows, total: await countRows(queries, messages, where) };
}

/**
 * Claims the next message that is due, and marks that it is about to be sent, unless it is to be looked up. Messages
 * between two numbers are claimed in order: those after one that the provider has not accepted yet wait.
 */
export async function claimDue(
  queries: Queries,
  now: Date,
  claimedUntil: Date,
): Promise<MessageRow | undefined> {
  const at = now.toISOString();
  const { rows } = await queries.execute<{ id: string }>(sql`
    select due.id from ${messages} as due
    where due.due_at <= ${at} and (due.claimed_until is null or due.claimed_until < ${at})
      and not exists (
        select from ${messages} as earlier
        where earlier.messaging_connection_id = due.messaging_connection_id
          and earlier.from_number = due.from_number and earlier.to_number = due.to_number
          and earlier.due_at is not null and earlier.provider_message_id is null
          and earlier.sequence < due.sequence
      )
    order by due.due_at, due.sequence limit 1 for update of due skip locked`);
  const [found] = rows;
  if (found === undefined) return undefined;
  const [row] = await queries
    .update(messages)
    .set({ claimedUntil })
    .where(eq(messages.id, found.id))
    .returning();
  return row;
}

/** Takes the next place in the pace of a number; otherwise returns when there is one. */
export async function takePlace(
  queries: Queries,
  { messagingConnectionId, fromNumber: number }: MessageRow,
  now: Date,
  nextAt: Date,
): Promise<Date | undefined> {
  const { rowCount } = await queries
    .insert(messageSenders)
    .values({ messagingConnectionId, number, nextAt })
    .onConflictDoUpdate({
      target: [messageSenders.messagingConnectionId, messageSenders.number],
      set: { nextAt },
      setWhere: sql`${messageSenders.nextAt} <= ${now.toISOString()}`,
    });
  if (rowCount === 1) return undefined;
  const [row] = await queries
    .select({ nextAt: messageSenders.nextAt })
    .from(messageSenders)
    .where(
      and(eq(messageSenders.messagingConnectionId, messagingConnectionId), eq(messageSenders.number, number)),
    );
  return row?.nextAt ?? now;
}

/** Those of these ids of the provider that belong to messages of the connection. */
export async function findKnownProviderIds(
  queries: Queries,
  messagingConnectionId: string,
  ids: readonly string[],
): Promise<Set<string | null>> {
  if (ids.length === 0) return new Set();
  const rows = await queries
    .select({ id: messages.providerMessageId })
    .from(messages)
    .where(
      and(
        eq(messages.messagingConnectionId, messagingConnectionId),
        inArray(messages.providerMessageId, [...ids]),
      ),
    );
  return new Set(rows.map(({ id }) => id));
}

const isThread = ({ messagingConnectionId, ownNumber, otherNumber }: ThreadKey) =>
  and(
    eq(messageThreads.messagingConnectionId, messagingConnectionId),
    eq(messageThreads.ownNumber, ownNumber),
    eq(messageThreads.otherNumber, otherNumber),
  );

/** Locks the thread; creates it if it does not exist. */
export async function lockThread(
  queries: Queries,
  thread: ThreadKey & { organizationId: string; lastMessageAt: Date },
): Promise<ThreadRow> {
  await queries.insert(messageThreads).values(thread).onConflictDoNothing();
  const [row] = await queries.select().from(messageThreads).where(isThread(thread)).for("update");
  if (row === undefined) throw new Error("the thread of messages was not stored");
  return row;
}

export async function findThread(queries: Queries, key: ThreadKey): Promise<ThreadRow | undefined> {
  const [row] = await queries.select().from(messageThreads).where(isThread(key));
  return row;
}

/** Locks the thread whose current conversation this is. */
export async function lockThreadOf(queries: Queries, conversationId: string): Promise<ThreadRow | undefined> {
  const where = eq(messageThreads.conversationId, conversationId);
  const [row] = await queries.select().from(messageThreads).where(where).for("update");
  return row;
}

/** Threads whose conversation is to end, the oldest first. */
export async function listIdleThreads(queries: Queries, now: Date, limit: number): Promise<ThreadRow[]> {
  return await queries
    .select()
    .from(messageThreads)
    .where(and(lte(messageThreads.endsAt, now), isNull(messageThreads.replyDueAt)))
    .orderBy(asc(messageThreads.endsAt))
    .limit(limit);
}

export async function deleteMessagesOf(queries: Queries, conversationId: string): Promise<void> {
  await queries.delete(messages).where(eq(messages.conversationId, conversationId));
}

export async function updateThread(
  queries: Queries,
  key: ThreadKey,
  change: Partial<typeof messageThreads.$inferInsert>,
): Promise<void> {
  await queries.update(messageThreads).set(change).where(isThread(key));
}

/** Claims the thread whose reply has been due for the longest time. */
export async function claimThread(
  queries: Queries,
  now: Date,
  claim: { claimId: string; claimedUntil: Date },
): Promise<(ThreadRow & { claimId: string; conversationId: string; agentId: string }) | undefined> {
  const isFree = or(isNull(messageThreads.claimedUntil), lt(messageThreads.claimedUntil, now));
  const [found] = await queries
    .select()
    .from(messageThreads)
    .where(and(lte(messageThreads.replyDueAt, now), isFree))
    .orderBy(asc(messageThreads.replyDueAt))
    .limit(1)
    .for("update", { skipLocked: true });
  if (found === undefined || found.conversationId === null || found.agentId === null) return undefined;
  const { conversationId, agentId } = found;
  await updateThread(queries, found, claim);
  return { ...found, ...claim, conversationId, agentId };
}

/** Locks the thread; `undefined` if the claim is no longer valid. */
export async function lockClaimedThread(
  queries: Queries,
  key: ThreadKey,
  claimId: string,
): Promise<ThreadRow | undefined> {
  const where = and(isThread(key), eq(messageThreads.claimId, claimId));
  const [row] = await queries.select().from(messageThreads).where(where).for("update");
  return row;
}

/** Returns whether the claim was still valid. */
export async function renewClaim(
  queries: Queries,
  key: ThreadKey,
  claimId: string,
  claimedUntil: Date,
): Promise<boolean> {
  const where = and(isThread(key), eq(messageThreads.claimId, claimId));
  const { rowCount } = await queries.update(messageThreads).set({ claimedUntil }).where(where);
  return rowCount === 1;
}

/** Messages of a conversation that wait for a reply, in the order of their arrival. */
export async function listUnanswered(queries: Queries, conversationId: string): Promise<MessageRow[]> {
  return await queries
    .select()
    .from(messages)
    .where(and(eq(messages.conversationId, conversationId), eq(messages.isAnswered, false)))
    .orderBy(asc(messages.sequence));
}

export async function markAnswered(queries: Queries, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await queries
    .update(messages)
    .set({ isAnswered: true })
    .where(inArray(messages.id, [...ids]));
}

/** Number of messages that the language model wrote from one number to another since then. */
export async function countGenerated(
  queries: Queries,
  { messagingConnectionId, ownNumber, otherNumber }: ThreadKey,
  since: Date,
): Promise<number> {
  const [row] = await queries
    .select({ n: count() })
    .from(messages)
    .where(
      and(
        eq(messages.messagingConnectionId, messagingConnectionId),
        eq(messages.fromNumber, ownNumber),
        eq(messages.toNumber, otherNumber),
        eq(messages.generatedByLlm, true),
        gte(messages.createdAt, since),
      ),
    );
  return row?.n ?? 0;
}
