import type { TranscriptItem } from "@parley/contract";
import { type SQL, and, asc, eq, getTableColumns, isNull, lt, lte, or, sql } from "drizzle-orm";
import type { Queries } from "../../platform/database/database.ts";
import { prepareOnce } from "../../platform/database/prepared-query.ts";
import { chats } from "./chats.tables.ts";

export type ChatRow = typeof chats.$inferSelect;
type ChatInsert = typeof chats.$inferInsert;
export type LockedChat = ChatRow & { beganAt: Date };

/** The right to write a chat's reply, until a time. */
export interface Claim {
  claimId: string;
  claimedUntil: Date;
}

export type ClaimedChat = ChatRow & { claimId: string };

export async function insertChat(queries: Queries, chat: ChatInsert): Promise<ChatRow> {
  const [row] = await queries.insert(chats).values(chat).returning();
  if (row === undefined) throw new Error("the chat was not stored");
  return row;
}

/** Locks an open chat; `undefined` if it has ended. */
export async function lockChat(queries: Queries, conversationId: string): Promise<ChatRow | undefined> {
  const where = eq(chats.conversationId, conversationId);
  const [row] = await queries.select().from(chats).where(where).for("update");
  return row;
}

/** Locks the open chat of a visitor, and reads when it began; `undefined` if there is none. */
export async function lockChatOf(
  queries: Queries,
  visitorId: string,
  beganAtMsOf: (conversationId: SQL) => SQL<number>,
): Promise<LockedChat | undefined> {
  const [row] = await queries
    .select({ ...getTableColumns(chats), beganAtMs: beganAtMsOf(sql`${chats.conversationId}`) })
    .from(chats)
    .where(eq(chats.visitorId, visitorId))
    .for("update");
  if (row === undefined) return undefined;
  const { beganAtMs, ...chat } = row;
  return { ...chat, beganAt: new Date(beganAtMs) };
}

const chatById = prepareOnce((queries) =>
  queries
    .select()
    .from(chats)
    .where(eq(chats.conversationId, sql.placeholder("conversationId")))
    .prepare(""),
);

export async function findChat(queries: Queries, conversationId: string): Promise<ChatRow | undefined> {
  const [row] = await chatById(queries).execute({ conversationId });
  return row;
}

/** Reads a chat and what was said in it at the same moment. */
export async function findChatWithItems(
  queries: Queries,
  conversationId: string,
  itemsOf: (conversationId: SQL) => SQL<TranscriptItem[]>,
): Promise<{ chat: ChatRow; items: TranscriptItem[] } | undefined> {
  const [row] = await queries
    .select({ ...getTableColumns(chats), items: itemsOf(sql`${chats.conversationId}`) })
    .from(chats)
    .where(eq(chats.conversationId, conversationId));
  if (row === undefined) return undefined;
  const { items, ...chat } = row;
  return { chat, items };
}

export async function updateChat(
  queries: Queries,
  conversationId: string,
  change: Partial<ChatInsert>,
): Promise<void> {
  await queries.update(chats).set(change).where(eq(chats.conversationId, conversationId));
}

export async function deleteChat(queries: Queries, conversationId: string): Promise<void> {
  await queries.delete(chats).where(eq(chats.conversationId, conversationId));
}

const isFree = (now: Date) => or(isNull(chats.claimedUntil), lt(chats.claimedUntil, now));

/** Claims the chat whose reply has been due for the longest time. */
export async function claimDue(queries: Queries, now: Date, claim: Claim): Promise<ClaimedChat | undefined> {
  const [found] = await queries
    .select()
    .from(chats)
    .where(and(lte(chats.replyDueAt, now), isFree(now)))
    .orderBy(asc(chats.replyDueAt))
    .limit(1)
    .for("update", { skipLocked: true });
  if (found === undefined) return undefined;
  await updateChat(queries, found.conversationId, claim);
  return { ...found, ...claim };
}

/** Claims the chat with this key if its reply is due now or soon; `undefined` if another node has it, or none is due. */
export async function claimChat(
  queries: Queries,
  key: string,
  now: Date,
  claim: Claim,
): Promise<ClaimedChat | undefined> {
  const [row] = await queries
    .update(chats)
    .set(claim)
    .where(
      and(
        or(eq(chats.conversationId, key), eq(chats.visitorId, key)),
        isFree(now),
        // A failed attempt waits for its time.
        or(lte(chats.replyDueAt, now), and(eq(chats.replyAttempts, 0), sql`${chats.replyDueAt} is not null`)),
      ),
    )
    .returning();
  return row && { ...row, claimId: claim.claimId };
}

/** Locks the chat; `undefined` if the claim is no longer valid. */
export async function lockClaimed(
  queries: Queries,
  conversationId: string,
  claimId: string,
): Promise<ChatRow | undefined> {
  const where = and(eq(chats.conversationId, conversationId), eq(chats.claimId, claimId));
  const [row] = await queries.select().from(chats).where(where).for("update");
  return row;
}

/** Gives up a claim. No effect if it is no longer valid. */
export async function releaseClaim(queries: Queries, conversationId: string, claimId: string): Promise<void> {
  const where = and(eq(chats.conversationId, conversationId), eq(chats.claimId, claimId));
  await queries.update(chats).set({ claimId: null, claimedUntil: null }).where(where);
}

/** Returns whether the claim was still valid. */
export async function renewClaim(
  queries: Queries,
  conversationId: string,
  { claimId, claimedUntil }: Claim,
): Promise<boolean> {
  const where = and(eq(chats.conversationId, conversationId), eq(chats.claimId, claimId));
  const { rowCount } = await queries.update(chats).set({ claimedUntil }).where(where);
  return rowCount === 1;
}

/** Open chats without a message since then, and without a reply that is due. */
export async function listIdle(queries: Queries, since: Date, limit: number): Promise<string[]> {
  const rows = await queries
    .select({ id: chats.conversationId })
    .from(chats)
    .where(and(lt(chats.lastMessageAt, since), isNull(chats.replyDueAt)))
    .orderBy(asc(chats.lastMessageAt))
    .limit(limit);
  return rows.map(({ id }) => id);
}
