import type { DoNotCallSettings, DoNotCallSource, PageQuery } from "@parley/contract";
import { and, asc, eq, sql } from "drizzle-orm";
import type { Queries } from "../../platform/database/database.ts";
import { countRows, pageOf, type Rows } from "../../platform/database/page.ts";
import { doNotCall, doNotCallSettings } from "./do-not-call.tables.ts";

export type EntryRow = typeof doNotCall.$inferSelect;

export interface EntryFilter extends PageQuery {
  phoneNumber?: string;
}

export interface NewEntries {
  organizationId: string;
  /** E.164, each once. */
  phoneNumbers: readonly string[];
  source: DoNotCallSource;
  now: Date;
}

const ownedBy = (organizationId: string, id: string) =>
  and(eq(doNotCall.organizationId, organizationId), eq(doNotCall.id, id));

/** Inserts the numbers that are not on the list. Returns how many. */
export async function insertEntries(
  queries: Queries,
  { organizationId, phoneNumbers, source, now }: NewEntries,
): Promise<number> {
  const { rowCount } = await queries.execute(sql`
    insert into ${doNotCall} (organization_id, phone_number, source, created_at)
    select ${organizationId}, number, ${source}, ${now.toISOString()}
    from unnest(${sql.param([...phoneNumbers])}::text[]) as entry (number)
    on conflict (organization_id, phone_number) do nothing`);
  return rowCount ?? 0;
}

export async function findByNumber(
  queries: Queries,
  organizationId: string,
  phoneNumber: string,
): Promise<EntryRow | undefined> {
  const [row] = await queries
    .select()
    .from(doNotCall)
    .where(and(eq(doNotCall.organizationId, organizationId), eq(doNotCall.phoneNumber, phoneNumber)));
  return row;
}

export async function findEntry(
  queries: Queries,
  organizationId: string,
  id: string,
): Promise<EntryRow | undefined> {
  const [row] = await queries.select().from(doNotCall).where(ownedBy(organizationId, id));
  return row;
}

export async function listEntries(
  queries: Queries,
  organizationId: string,
  { phoneNumber, ...page }: EntryFilter,
): Promise<Rows<EntryRow>> {
  const own = eq(doNotCall.organizationId, organizationId);
  const where = phoneNumber === undefined ? own : and(own, eq(doNotCall.phoneNumber, phoneNumber));
  const { limit, offset, orderBy } = pageOf(page, doNotCall.createdAt, doNotCall.id);
  const rows = await queries
    .select()
    .from(doNotCall)
    .where(where)
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);
  return { rows, total: await countRows(queries, doNotCall, where) };
}

/** Returns entries after this one in the order of their addition. `undefined`: the first ones. */
export async function listEntriesAfter(
  queries: Queries,
  organizationId: string,
  after: EntryRow | undefined,
  limit: number,
): Promise<EntryRow[]> {
  const { createdAt, phoneNumber } = doNotCall;
  const own = eq(doNotCall.organizationId, organizationId);
  const isLater =
    after && sql`(${createdAt}, ${phoneNumber}) > (${after.createdAt.toISOString()}, ${after.phoneNumber})`;
  return await queries
    .select()
    .from(doNotCall)
    .where(and(own, isLater))
    .orderBy(asc(createdAt), asc(phoneNumber))
    .limit(limit);
}

export async function countEntries(queries: Queries, organizationId: string): Promise<number> {
  return await countRows(queries, doNotCall, eq(doNotCall.organizationId, organizationId));
}

/** Returns whether the entry existed. */
export async function deleteEntry(queries: Queries, organizationId: string, id: string): Promise<boolean> {
  const rows = await queries
    .delete(doNotCall)
    .where(ownedBy(organizationId, id))
    .returning({ id: doNotCall.id });
  return rows.length > 0;
}

export async function findSettings(
  queries: Queries,
  organizationId: string,
): Promise<DoNotCallSettings | undefined> {
  const { maxDialsPerDay } = doNotCallSettings;
  const [row] = await queries
    .select({ maxDialsPerDay })
    .from(doNotCallSettings)
    .where(eq(doNotCallSettings.organizationId, organizationId));
  return row;
}

export async function writeSettings(
  queries: Queries,
  organizationId: string,
  settings: DoNotCallSettings,
): Promise<void> {
  await queries
    .insert(doNotCallSettings)
    .values({ organizationId, ...settings })
    .onConflictDoUpdate({ target: doNotCallSettings.organizationId, set: settings });
}
