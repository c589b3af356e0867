import type { ConversationChannel, PageQuery, TranscriptItem } from "@parley/contract";
import { type SQL, type SQLWrapper, and, asc, desc, eq, gt, inArray, isNull, ne, sql } from "drizzle-orm";
import type { Queries } from "../../platform/database/database.ts";
import { countRows, type Rows, pageOf } from "../../platform/database/page.ts";
import { prepareOnce } from "../../platform/database/prepared-query.ts";
import { toStorableJson } from "../../platform/database/storable-text.ts";
import { conversations, isMessage, transcriptItems, wordsOf } from "./conversations.tables.ts";

/** Earlier conversations of a customer that a new one knows of. */
const MAX_EARLIER_CONVERSATIONS = 10;

/** Items that a reader gets in one query. */
export const MAX_ITEMS_AT_ONCE = 500;

export type ConversationRow = typeof conversations.$inferSelect;

export interface ConversationFilter extends PageQuery {
  agentId?: string;
  channel?: ConversationChannel;
  customerId?: string;
}

export async function insertConversation(
  queries: Queries,
  conversation: typeof conversations.$inferInsert,
): Promise<ConversationRow> {
  const [row] = await queries.insert(conversations).values(conversation).returning();
  if (row === undefined) throw new Error("the conversation was not stored");
  return row;
}

const conversationById = prepareOnce((queries) =>
  queries
    .select()
    .from(conversations)
    .where(
      and(
        eq(conversations.organizationId, sql.placeholder("organizationId")),
        eq(conversations.id, sql.placeholder("id")),
      ),
    )
    .prepare(""),
);

export async function findConversation(
  queries: Queries,
  organizationId: string,
  id: string,
): Promise<ConversationRow | undefined> {
  const [row] = await conversationById(queries).execute({ organizationId, id });
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
  if (filter.customerId !== undefined) conditions.push(eq(conversations.customerId, filter.customerId));
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

/** Returns the ended conversation; `undefined` if the conversation does not exist or has ended. */
export async function endConversation(
  queries: Queries,
  id: string,
  endReason: "idle" | "user",
  endedAt: Date,
): Promise<ConversationRow | undefined> {
  const [row] = await queries
    .update(conversations)
    .set({ endedAt, endReason, updatedAt: endedAt })
    .where(and(eq(conversations.id, id), isNull(conversations.endedAt)))
    .returning();
  return row;
}

export async function findUpdatedAt(queries: Queries, id: string): Promise<Date | undefined> {
  const [row] = await queries
    .select({ updatedAt: conversations.updatedAt })
    .from(conversations)
    .where(eq(conversations.id, id));
  return row?.updatedAt;
}

export async function deleteConversation(queries: Queries, id: string): Promise<void> {
  await queries.delete(conversations).where(eq(conversations.id, id));
}

/** Returns the items that were appended last, in the order in which they were appended. */
export async function listLatestItems(
  queries: Queries,
  conversationId: string,
  limit: number,
): Promise<TranscriptItem[]> {
  const rows = await queries
    .select({ item: transcriptItems.item })
    .from(transcriptItems)
    .where(eq(transcriptItems.conversationId, conversationId))
    .orderBy(desc(transcriptItems.sequence))
    .limit(limit);
  return rows.map(({ item }) => item).reverse();
}

/** Query that yields what `listLatestItems` returns, as one value, for the query of a feature that refers to conversations. */
export function latestItemsOf(conversationId: SQLWrapper, limit: number): SQL<TranscriptItem[]> {
  const latest = sql`
    select item, sequence from ${transcriptItems}
    where conversation_id = ${conversationId} order by sequence desc limit ${limit}`;
  return sql`(select coalesce(jsonb_agg(item order by sequence), '[]') from (${latest}) as latest)`;
}

/** Query that yields the time at which a conversation began, in milliseconds. */
export function beganAtMsOf(conversationId: SQLWrapper): SQL<number> {
  return sql`(
    select extract(epoch from ${conversations.createdAt}) * 1000 from ${conversations} where id = ${conversationId}
  )`.mapWith(Number);
}

/** An item with its place in the order in which items were appended. */
export interface PlacedItem {
  sequence: number;
  item: TranscriptItem;
}

const itemsAfter = prepareOnce((queries) =>
  queries
    .select({ sequence: transcriptItems.sequence, item: transcriptItems.item })
    .from(transcriptItems)
    .where(
      and(
        eq(transcriptItems.conversationId, sql.placeholder("conversationId")),
        gt(transcriptItems.sequence, sql.placeholder("sequence")),
      ),
    )
    .orderBy(asc(transcriptItems.sequence))
    .limit(MAX_ITEMS_AT_ONCE)
    .prepare(""),
);

export async function listItemsAfter(
  queries: Queries,
  conversationId: string,
  sequence: number,
): Promise<PlacedItem[]> {
  return await itemsAfter(queries).execute({ conversationId, sequence });
}

export async function listLatestMessages(
  queries: Queries,
  conversationId: string,
  limit: number,
): Promise<PlacedItem[]> {
  const latest = await queries
    .select({ sequence: transcriptItems.sequence, item: transcriptItems.item })
    .from(transcriptItems)
    .where(and(eq(transcriptItems.conversationId, conversationId), isMessage(transcriptItems.item)))
    .orderBy(desc(transcriptItems.sequence))
    .limit(limit);
  return latest.reverse();
}

export async function reassign(
  queries: Queries,
  fromCustomerId: string,
  toCustomerId: string,
): Promise<void> {
  const where = eq(conversations.customerId, fromCustomerId);
  await queries.update(conversations).set({ customerId: toCustomerId }).where(where);
}

export async function listOfCustomer(
  queries: Queries,
  customerId: string,
): Promise<{ id: string; channel: ConversationChannel }[]> {
  return await queries
    .select({ id: conversations.id, channel: conversations.channel })
    .from(conversations)
    .where(eq(conversations.customerId, customerId))
    .limit(MAX_ITEMS_AT_ONCE);
}

export type ConversationLinks = Pick<ConversationRow, "customerId" | "continuesId">;

export async function findLinks(queries: Queries, id: string): Promise<ConversationLinks | undefined> {
  const { customerId, continuesId } = conversations;
  const [row] = await queries
    .select({ customerId, continuesId })
    .from(conversations)
    .where(eq(conversations.id, id));
  return row;
}

export interface EarlierFilter {
  customerId: string;
  /** The conversation that is about to know them. */
  exceptId: string;
  limit: number;
}

export interface EarlierMessage {
  conversationId: string;
  channel: ConversationChannel;
  beganAt: Date;
  item: TranscriptItem;
}

export async function listEarlierMessages(
  queries: Queries,
  { customerId, exceptId, limit }: EarlierFilter,
): Promise<EarlierMessage[]> {
  const earlier = queries
    .select({ id: conversations.id, channel: conversations.channel, beganAt: conversations.createdAt })
    .from(conversations)
    .where(and(eq(conversations.customerId, customerId), ne(conversations.id, exceptId)))
    .orderBy(desc(conversations.createdAt))
    .limit(MAX_EARLIER_CONVERSATIONS)
    .as("earlier");
  const rows = await queries
    .select({
      conversationId: earlier.id,
      channel: earlier.channel,
      beganAt: earlier.beganAt,
      item: transcriptItems.item,
    })
    .from(transcriptItems)
    .innerJoin(earlier, eq(transcriptItems.conversationId, earlier.id))
    .where(isMessage(transcriptItems.item))
    .orderBy(desc(earlier.beganAt), desc(transcriptItems.sequence))
    .limit(limit);
  return rows.reverse();
}

export async function findItem(
  queries: Queries,
  conversationId: string,
  id: string,
): Promise<TranscriptItem | undefined> {
  const where = and(eq(transcriptItems.conversationId, conversationId), eq(transcriptItems.id, id));
  const [row] = await queries.select({ item: transcriptItems.item }).from(transcriptItems).where(where);
  return row?.item;
}

export async function deleteItem(queries: Queries, conversationId: string, id: string): Promise<void> {
  const where = and(eq(transcriptItems.conversationId, conversationId), eq(transcriptItems.id, id));
  await queries.delete(transcriptItems).where(where);
}

/** Returns items in the order of their beginnings. They arrive at their ends, which overlapping speech puts in another order. */
export async function listItems(queries: Queries, conversationId: string): Promise<TranscriptItem[]> {
  const rows = await queries
    .select({ item: transcriptItems.item })
    .from(transcriptItems)
    .where(eq(transcriptItems.conversationId, conversationId))
    .orderBy(sql`(${transcriptItems.item} ->> 'startMs')::float8`, asc(transcriptItems.sequence));
  return rows.map(({ item }) => item);
}

/** Items of several conversations, by conversation. */
export async function listItemsOfEach(
  queries: Queries,
  conversationIds: readonly string[],
): Promise<Map<string, TranscriptItem[]>> {
  if (conversationIds.length === 0) return new Map();
  const rows = await queries
    .select({ id: transcriptItems.conversationId, item: transcriptItems.item })
    .from(transcriptItems)
    .where(inArray(transcriptItems.conversationId, [...conversationIds]))
    .orderBy(sql`(${transcriptItems.item} ->> 'startMs')::float8`, asc(transcriptItems.sequence));
  const groups = Map.groupBy(rows, ({ id }) => id);
  return new Map([...groups].map(([id, items]) => [id, items.map(({ item }) => item)]));
}

/**
 * Appends items in one statement, because a call writes several per turn. Concurrent writes lose nothing, but
 * the order of their items relative to each other is undefined.
 *
 * @param conversation Its id, or a query that yields it.
 * @returns the number of items that were not there.
 * @throws Error if there is no such conversation, or its transcript was deleted.
 */
export async function appendItems(
  queries: Queries,
  conversation: string | SQL,
  items: readonly TranscriptItem[],
  now: Date,
): Promise<number> {
  const { rows } = await queries.execute<{ count: number }>(sql`
    with conversation as (
      update ${conversations} set updated_at = ${now.toISOString()}
      where id = ${conversation} and transcript_deleted_at is null
      returning id
    ), inserted as (
      insert into ${transcriptItems} (conversation_id, id, sequence, item)
      select
        conversation.id,
        entry.item ->> 'id',
        entry.place + coalesce((
          select max(sequence) from ${transcriptItems} where conversation_id = (select id from conversation)
        ), 0),
        entry.item
      from conversation, jsonb_array_elements(${JSON.stringify(toStorableJson(items))}::jsonb)
        with ordinality as entry (item, place)
      on conflict do nothing
      returning 1
    )
    select (select count(*)::int from inserted) as count from conversation`);
  const [appended] = rows;
  if (appended === undefined)
    throw new Error("the conversation to append items to does not exist, or its transcript was deleted");
  return appended.count;
}

/** Condition that a message of the conversation contains these words; served by the index `transcript_items_words`. */
export function hasMessageSaying(conversationId: SQL, words: string): SQL {
  return sql`exists (
    select from ${transcriptItems}
    where ${transcriptItems.conversationId} = ${conversationId}
      and ${isMessage(transcriptItems.item)}
      and ${wordsOf(transcriptItems.item)} @@ websearch_to_tsquery('simple', ${words})
  )`;
}

/** Deletes all items. The lock of the conversation's row makes a concurrent `appendItems` fail. */
export async function deleteItems(queries: Queries, conversationId: string, now: Date): Promise<void> {
  await queries
    .update(conversations)
    .set({ transcriptDeletedAt: now })
    .where(and(eq(conversations.id, conversationId), isNull(conversations.transcriptDeletedAt)));
  await queries.delete(transcriptItems).where(eq(transcriptItems.conversationId, conversationId));
}

/** Returns those of these conversations whose transcript was not deleted. */
export async function listWithTranscript(queries: Queries, ids: readonly string[]): Promise<string[]> {
  const rows = await queries
    .select({ id: conversations.id })
    .from(conversations)
    .where(and(inArray(conversations.id, [...ids]), isNull(conversations.transcriptDeletedAt)));
  return rows.map(({ id }) => id);
}
