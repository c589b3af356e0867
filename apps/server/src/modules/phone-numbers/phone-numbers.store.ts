import type { PageQuery } from "@parley/contract";
import { type SQL, and, asc, count, eq, inArray } from "drizzle-orm";
import type { Queries } from "../../platform/database/database.ts";
import { type Rows, pageOf } from "../../platform/database/page.ts";
import { phoneNumbers } from "./phone-numbers.tables.ts";

export type PhoneNumberRow = typeof phoneNumbers.$inferSelect;
type PhoneNumberInsert = typeof phoneNumbers.$inferInsert;

export interface PhoneNumberFilter extends PageQuery {
  agentId?: string;
  sipTrunkId?: string;
}

/** Undefined where the number is taken already. */
export async function insertNumber(
  queries: Queries,
  number: PhoneNumberInsert,
): Promise<PhoneNumberRow | undefined> {
  const [row] = await queries.insert(phoneNumbers).values(number).onConflictDoNothing().returning();
  return row;
}

export async function findNumberByE164(queries: Queries, e164: string): Promise<PhoneNumberRow | undefined> {
  const [row] = await queries.select().from(phoneNumbers).where(eq(phoneNumbers.e164, e164));
  return row;
}

export async function lockNumberByE164(queries: Queries, e164: string): Promise<PhoneNumberRow | undefined> {
  const [row] = await queries.select().from(phoneNumbers).where(eq(phoneNumbers.e164, e164)).for("update");
  return row;
}

export async function listNumbers(
  queries: Queries,
  organizationId: string,
  filter: PhoneNumberFilter,
): Promise<Rows<PhoneNumberRow>> {
  const conditions: SQL[] = [eq(phoneNumbers.organizationId, organizationId)];
  if (filter.agentId !== undefined) conditions.push(eq(phoneNumbers.agentId, filter.agentId));
  if (filter.sipTrunkId !== undefined) conditions.push(eq(phoneNumbers.sipTrunkId, filter.sipTrunkId));
  const where = and(...conditions);
  const { limit, offset, orderBy } = pageOf(filter, phoneNumbers.createdAt, phoneNumbers.id);
  const rows = await queries
    .select()
    .from(phoneNumbers)
    .where(where)
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);
  const [counted] = await queries.select({ total: count() }).from(phoneNumbers).where(where);
  return { rows, total: counted?.total ?? 0 };
}

export async function listNumbersOfAgents(
  queries: Queries,
  agentIds: readonly string[],
): Promise<PhoneNumberRow[]> {
  if (agentIds.length === 0) return [];
  return await queries
    .select()
    .from(phoneNumbers)
    .where(inArray(phoneNumbers.agentId, [...agentIds]))
    .orderBy(asc(phoneNumbers.createdAt), asc(phoneNumbers.id));
}

const boundTo = (organizationId: string, agentId: string, id: string) =>
  and(
    eq(phoneNumbers.organizationId, organizationId),
    eq(phoneNumbers.agentId, agentId),
    eq(phoneNumbers.id, id),
  );

export async function findNumberOfAgent(
  queries: Queries,
  organizationId: string,
  agentId: string,
  id: string,
): Promise<PhoneNumberRow | undefined> {
  const [row] = await queries
    .select()
    .from(phoneNumbers)
    .where(boundTo(organizationId, agentId, id));
  return row;
}

export async function updateNumber(
  queries: Queries,
  id: string,
  change: Partial<PhoneNumberInsert>,
): Promise<PhoneNumberRow | undefined> {
  const [row] = await queries.update(phoneNumbers).set(change).where(eq(phoneNumbers.id, id)).returning();
  return row;
}

export async function deleteNumberOfAgent(
  queries: Queries,
  organizationId: string,
  agentId: string,
  id: string,
): Promise<boolean> {
  const { rowCount } = await queries.delete(phoneNumbers).where(boundTo(organizationId, agentId, id));
  return rowCount === 1;
}
