import type { PageQuery } from "@parley/contract";
import { and, eq, inArray, isNotNull, sql } from "drizzle-orm";
import type { Queries } from "../../platform/database/database.ts";
import { countRows, type Rows, pageOf } from "../../platform/database/page.ts";
import { prepareOnce } from "../../platform/database/prepared-query.ts";
import { sipTrunks } from "./sip-trunks.tables.ts";

export type SipTrunkRow = typeof sipTrunks.$inferSelect;
export type SipTrunkInsert = typeof sipTrunks.$inferInsert;

const ownedBy = (organizationId: string, id: string) =>
  and(eq(sipTrunks.organizationId, organizationId), eq(sipTrunks.id, id));

export async function insertTrunk(queries: Queries, trunk: SipTrunkInsert): Promise<SipTrunkRow> {
  const [row] = await queries.insert(sipTrunks).values(trunk).returning();
  if (row === undefined) throw new Error("the SIP trunk was not stored");
  return row;
}

export async function findTrunk(
  queries: Queries,
  organizationId: string,
  id: string,
): Promise<SipTrunkRow | undefined> {
  const [row] = await queries.select().from(sipTrunks).where(ownedBy(organizationId, id));
  return row;
}

/** Finds trunks of any organization. */
export async function findTrunks(queries: Queries, ids: readonly string[]): Promise<SipTrunkRow[]> {
  return await queries
    .select()
    .from(sipTrunks)
    .where(inArray(sipTrunks.id, [...ids]));
}

/** Locks the trunk against deletion (`key share`), or also against use and changes (`update`). */
export async function lockTrunk(
  queries: Queries,
  organizationId: string,
  id: string,
  strength: "key share" | "update",
): Promise<SipTrunkRow | undefined> {
  const [row] = await queries.select().from(sipTrunks).where(ownedBy(organizationId, id)).for(strength);
  return row;
}

export async function listTrunks(
  queries: Queries,
  organizationId: string,
  query: PageQuery,
): Promise<Rows<SipTrunkRow>> {
  const where = eq(sipTrunks.organizationId, organizationId);
  const { limit, offset, orderBy } = pageOf(query, sipTrunks.createdAt, sipTrunks.id);
  const rows = await queries
    .select()
    .from(sipTrunks)
    .where(where)
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);
  return { rows, total: await countRows(queries, sipTrunks, where) };
}

/** Trunks of all organizations that accept outbound calls, the oldest first. */
export async function listTrunksWithProxy(queries: Queries, limit: number): Promise<SipTrunkRow[]> {
  return await queries
    .select()
    .from(sipTrunks)
    .where(isNotNull(sipTrunks.proxyAddress))
    .orderBy(sipTrunks.createdAt)
    .limit(limit);
}

export async function updateTrunk(
  queries: Queries,
  id: string,
  change: Partial<SipTrunkInsert>,
): Promise<SipTrunkRow> {
  const [row] = await queries.update(sipTrunks).set(change).where(eq(sipTrunks.id, id)).returning();
  if (row === undefined) throw new Error("the SIP trunk vanished while it was changed");
  return row;
}

export async function deleteTrunk(queries: Queries, id: string): Promise<void> {
  await queries.delete(sipTrunks).where(eq(sipTrunks.id, id));
}

const trunkNames = prepareOnce((queries) =>
  queries
    .select({ id: sipTrunks.id, friendlyName: sipTrunks.friendlyName })
    .from(sipTrunks)
    .where(
      and(
        eq(sipTrunks.organizationId, sql.placeholder("organizationId")),
        sql`${sipTrunks.id} = any(${sql.placeholder("ids")})`,
      ),
    )
    .prepare(""),
);

export async function findTrunkNames(
  queries: Queries,
  organizationId: string,
  ids: readonly string[],
): Promise<{ id: string; friendlyName: string }[]> {
  if (ids.length === 0) return [];
  return await trunkNames(queries).execute({ organizationId, ids: [...ids] });
}
