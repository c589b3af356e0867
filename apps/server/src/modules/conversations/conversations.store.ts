import type { PageQuery, TranscriptItem } from "@parley/contract";
import { type SQL, and, asc, eq, max } from "drizzle-orm";
import type { Queries } from "../../platform/database/database.ts";
import { countRows, type Rows, pageOf } from "../../platform/database/page.ts";
import { toStorableText } from "../../platform/database/storable-text.ts";
import { conversations, transcriptItems } from "./conversations.tables.ts";

export type ConversationRow = typeof conversations.$inferSelect;

export interface ConversationFilter extends PageQuery {
  agentId?: string;
  channel?: "phone" | "web";
}

export async function insertConversation(
  queries: Queries,
  conversation: typeof conversations.$inferInsert,
): Promise<ConversationRow> {
  const [row] = await queries.insert(conversations).values(conversation).returning();
  if (row === undefined) throw new Error("the conversation was not stored");
  return row;
}

export async function findConversation(
  queries: Queries,
  organizationId: string,
  id: string,
): Promise<ConversationRow | undefined> {
  const where = and(eq(conversations.organizationId, organizationId), eq(conversations.id, id));
  const [row] = await queries.select().from(conversations).where(where);
  return row;
}

export async function listConversations(
  queries: Queries,
  organizationId: string,
  filter: ConversationFilter,
): Promise<Rows<ConversationRow>> {
  const conditions: SQL[] = [eq(conversations.organizationId, organizationId)];
  if (filter.agentId !== undefined) conditions.push(eq(conversations.agentId, filter.agentId));
  if (filter.channel !== undefined) conditions.push(eq(conversations.channel, filter.channel));
  const where = and(...conditions);
  const { limit, offset, orderBy } = pageOf(filter, conversations.createdAt, conversations.id);
  const rows = await queries
    .select()
    .from(conversations)
    .where(where)
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);
  return { rows, total: await countRows(queries, conversations, where) };
}

export async function updateConversation(
  queries: Queries,
  id: string,
  change: Partial<typeof conversations.$inferInsert>,
): Promise<void> {
  await queries.update(conversations).set(change).where(eq(conversations.id, id));
}

export async function deleteConversation(queries: Queries, id: string): Promise<void> {
  await queries.delete(conversations).where(eq(conversations.id, id));
}

export async function listItems(queries: Queries, conversationId: string): Promise<TranscriptItem[]> {
  const rows = await queries
    .select({ item: transcriptItems.item })
    .from(transcriptItems)
    .where(eq(transcriptItems.conversationId, conversationId))
    .orderBy(asc(transcriptItems.sequence));
  return rows.map(({ item }) => item);
}

/** Call it in a transaction: the conversation's row is what writers of one transcript queue up for. */
export async function appendItems(
  queries: Queries,
  conversationId: string,
  items: readonly TranscriptItem[],
  now: Date,
): Promise<void> {
  const locked = await queries
    .update(conversations)
    .set({ updatedAt: now })
    .where(eq(conversations.id, conversationId))
    .returning({ id: conversations.id });
  if (locked.length === 0) throw new Error(`there is no conversation ${conversationId}`);
  const ofConversation = eq(transcriptItems.conversationId, conversationId);
  const [last] = await queries
    .select({ sequence: max(transcriptItems.sequence) })
    .from(transcriptItems)
    .where(ofConversation);
  const first = (last?.sequence ?? 0) + 1;
  const rows = items.map((item, index) => ({
    conversationId,
    id: item.id,
    sequence: first + index,
    item: toStorable(item),
  }));
  await queries.insert(transcriptItems).values(rows).onConflictDoNothing();
}

function toStorable(item: TranscriptItem): TranscriptItem {
  const { text, toolCallId, toolName } = item;
  return {
    ...item,
    text: toStorableText(text),
    ...(toolCallId !== undefined && { toolCallId: toStorableText(toolCallId) }),
    ...(toolName !== undefined && { toolName: toStorableText(toolName) }),
  };
}
