import type { PageQuery } from "@parley/contract";
import { type SQL, and, eq, inArray, isNotNull, isNull, ne, sql } from "drizzle-orm";
import type { Queries } from "../../platform/database/database.ts";
import { countRows, type Rows, pageOf } from "../../platform/database/page.ts";
import { phoneNumbers } from "./phone-numbers.tables.ts";

export type PhoneNumberRow = typeof phoneNumbers.$inferSelect;
type PhoneNumberInsert = typeof phoneNumbers.$inferInsert;

export interface ClaimFilter extends PageQuery {
  e164?: string;
  organizationId?: string;
}

export interface PhoneNumberFilter extends PageQuery {
  agentId?: string;
  sipTrunkId?: string;
}

/** Returns `undefined` if the number already exists. */
export async function insertNumber(
  queries: Queries,
  number: PhoneNumberInsert,
): Promise<PhoneNumberRow | undefined> {
  const [row] = await queries.insert(phoneNumbers).values(number).onConflictDoNothing().returning();
  return row;
}

export async function findNumber(
  queries: Queries,
  organizationId: string,
  id: string,
): Promise<PhoneNumberRow | undefined> {
  const where = and(eq(phoneNumbers.organizationId, organizationId), eq(phoneNumbers.id, id));
  const [row] = await queries.select().from(phoneNumbers).where(where);
  return row;
}

export async function findNumberOnTrunk(
  queries: Queries,
  sipTrunkId: string,
  e164: string,
): Promise<PhoneNumberRow | undefined> {
  const isIt = and(eq(phoneNumbers.sipTrunkId, sipTrunkId), eq(phoneNumbers.e164, e164));
  const [row] = await queries.select().from(phoneNumbers).where(isIt);
  return row;
}

/** Trunk ids by number, in any organization, for those of these numbers that are bound to an agent. */
export async function findTrunkIdsOfNumbers(
  queries: Queries,
  e164s: readonly string[],
): Promise<Map<string, string[]>> {
  const { e164, sipTrunkId, agentId } = phoneNumbers;
  const rows = await queries
    .select({ e164, sipTrunkId })
    .from(phoneNumbers)
    .where(and(sql`${e164} = any(${sql.param([...e164s])})`, isNotNull(agentId)));
  const found = new Map<string, string[]>();
  for (const row of rows) found.set(row.e164, [...(found.get(row.e164) ?? []), row.sipTrunkId]);
  return found;
}

/** Lock of all claims: shared by a new number, exclusive for a change of a trunk, which may have many numbers. */
const CLAIMS_LOCK = 7_264_540;

/** Locks the number against other claims until the transaction ends. */
export async function lockClaim(queries: Queries, e164: string): Promise<void> {
  await queries.execute(sql`select pg_advisory_xact_lock_shared(${CLAIMS_LOCK})`);
  await queries.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`number ${e164}`}, 0))`);
}

/** Locks all numbers against claims until the transaction ends. */
export async function lockAllClaims(queries: Queries): Promise<void> {
  await queries.execute(sql`select pg_advisory_xact_lock(${CLAIMS_LOCK})`);
}

/** Ids of other organizations' trunks that have one of these numbers (E.164). */
export async function findTrunkIdsOfOthers(
  queries: Queries,
  organizationId: string,
  e164s: readonly string[],
): Promise<string[]> {
  const rows = await queries
    .selectDistinct({ sipTrunkId: phoneNumbers.sipTrunkId })
    .from(phoneNumbers)
    .where(
      and(
        sql`${phoneNumbers.e164} = any(${sql.param([...e164s])})`,
        ne(phoneNumbers.organizationId, organizationId),
      ),
    );
  return rows.map(({ sipTrunkId }) => sipTrunkId);
}

export async function lockNumberByE164(
  queries: Queries,
  organizationId: string,
  e164: string,
): Promise<PhoneNumberRow | undefined> {
  const isIt = and(eq(phoneNumbers.organizationId, organizationId), eq(phoneNumbers.e164, e164));
  const [row] = await queries.select().from(phoneNumbers).where(isIt).for("update");
  return row;
}

export async function listE164OfTrunk(queries: Queries, sipTrunkId: string): Promise<string[]> {
  const rows = await queries
    .select({ e164: phoneNumbers.e164 })
    .from(phoneNumbers)
    .where(eq(phoneNumbers.sipTrunkId, sipTrunkId));
  return rows.map(({ e164 }) => e164);
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
  return { rows, total: await countRows(queries, phoneNumbers, where) };
}

/** Those of these numbers (E.164) that belong to the trunk. */
export async function findNumbersOnTrunk(
  queries: Queries,
  organizationId: string,
  sipTrunkId: string,
  e164s: readonly string[],
): Promise<PhoneNumberRow[]> {
  return await queries
    .select()
    .from(phoneNumbers)
    .where(
      and(
        eq(phoneNumbers.organizationId, organizationId),
        eq(phoneNumbers.sipTrunkId, sipTrunkId),
        inArray(phoneNumbers.e164, [...e164s]),
      ),
    );
}

export async function listE164(queries: Queries, organizationId: string): Promise<string[]> {
  const rows = await queries
    .select({ e164: phoneNumbers.e164 })
    .from(phoneNumbers)
    .where(eq(phoneNumbers.organizationId, organizationId))
    .orderBy(phoneNumbers.createdAt, phoneNumbers.id);
  return rows.map(({ e164 }) => e164);
}

export async function countNumbersOfTrunk(queries: Queries, sipTrunkId: string): Promise<number> {
  return await countRows(queries, phoneNumbers, eq(phoneNumbers.sipTrunkId, sipTrunkId));
}

/** Agents with numbers of the trunk. */
export async function listAgentsOfTrunk(queries: Queries, sipTrunkId: string): Promise<string[]> {
  const rows = await queries
    .selectDistinct({ agentId: phoneNumbers.agentId })
    .from(phoneNumbers)
    .where(eq(phoneNumbers.sipTrunkId, sipTrunkId));
  return rows.map(({ agentId }) => agentId).filter((agentId) => agentId !== null);
}

/** Returns the ids of the deleted numbers. */
export async function deleteNumbersOfTrunk(queries: Queries, sipTrunkId: string): Promise<string[]> {
  const rows = await queries
    .delete(phoneNumbers)
    .where(eq(phoneNumbers.sipTrunkId, sipTrunkId))
    .returning({ id: phoneNumbers.id });
  return rows.map(({ id }) => id);
}

export async function unbindNumbersOfAgent(queries: Queries, agentId: string, now: Date): Promise<void> {
  await queries
    .update(phoneNumbers)
    .set({ agentId: null, environment: null, updatedAt: now })
    .where(eq(phoneNumbers.agentId, agentId));
}

export async function lockNumberOfAgent(
  queries: Queries,
  agentId: string,
  id: string,
): Promise<PhoneNumberRow | undefined> {
  const [row] = await queries
    .select()
    .from(phoneNumbers)
    .where(and(eq(phoneNumbers.agentId, agentId), eq(phoneNumbers.id, id)))
    .for("update");
  return row;
}

export async function updateNumber(
  queries: Queries,
  id: string,
  change: Partial<PhoneNumberInsert>,
): Promise<PhoneNumberRow> {
  const [row] = await queries.update(phoneNumbers).set(change).where(eq(phoneNumbers.id, id)).returning();
  if (row === undefined) throw new Error("the number vanished while it was changed");
  return row;
}

export async function deleteNumber(queries: Queries, id: string): Promise<void> {
  await queries.delete(phoneNumbers).where(eq(phoneNumbers.id, id));
}

/** Lists numbers of all organizations. */
export async function listClaims(queries: Queries, filter: ClaimFilter): Promise<Rows<PhoneNumberRow>> {
  const conditions: SQL[] = [];
  if (filter.e164 !== undefined) conditions.push(eq(phoneNumbers.e164, filter.e164));
  if (filter.organizationId !== undefined)
    conditions.push(eq(phoneNumbers.organizationId, filter.organizationId));
  const where = and(...conditions);
  const { limit, offset, orderBy } = pageOf(filter, phoneNumbers.createdAt, phoneNumbers.id);
  const rows = await queries
    .select()
    .from(phoneNumbers)
    .where(where)
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);
  return { rows, total: await countRows(queries, phoneNumbers, where) };
}

/** Returns a number of any organization. */
export async function findClaim(queries: Queries, id: string): Promise<PhoneNumberRow | undefined> {
  const [row] = await queries.select().from(phoneNumbers).where(eq(phoneNumbers.id, id));
  return row;
}

/** Deletes the number. Returns false if it is gone or bound to another agent by now. */
export async function deleteClaim(
  queries: Queries,
  { id, agentId }: Pick<PhoneNumberRow, "id" | "agentId">,
): Promise<boolean> {
  const isBound = agentId === null ? isNull(phoneNumbers.agentId) : eq(phoneNumbers.agentId, agentId);
  const rows = await queries
    .delete(phoneNumbers)
    .where(and(eq(phoneNumbers.id, id), isBound))
    .returning({ id: phoneNumbers.id });
  return rows.length > 0;
}
