import type { CampaignStatus, PageQuery } from "@parley/contract";
import { type SQL, and, eq, inArray, notInArray, sql } from "drizzle-orm";
import type { Queries } from "../../platform/database/database.ts";
import { countRows, pageOf, type Rows } from "../../platform/database/page.ts";
import { campaignContacts, campaigns } from "./campaigns.tables.ts";

export type CampaignRow = typeof campaigns.$inferSelect;
export type CampaignInsert = typeof campaigns.$inferInsert;

export interface CampaignFilter extends PageQuery {
  status?: readonly CampaignStatus[];
  agentId?: string;
}

/** When contacts of a campaign are due first, by their time zone. */
export type DueTimes = ReadonlyMap<string, Date>;

const ownedBy = (organizationId: string, id: string) =>
  and(eq(campaigns.organizationId, organizationId), eq(campaigns.id, id));

export async function insertCampaign(queries: Queries, campaign: CampaignInsert): Promise<CampaignRow> {
  const [row] = await queries.insert(campaigns).values(campaign).returning();
  if (row === undefined) throw new Error("the campaign was not stored");
  return row;
}

export async function findCampaign(
  queries: Queries,
  organizationId: string,
  id: string,
): Promise<CampaignRow | undefined> {
  const [row] = await queries.select().from(campaigns).where(ownedBy(organizationId, id));
  return row;
}

/** Every change of a campaign, and of the status of its contacts, happens under this lock. */
export async function lockCampaign(queries: Queries, id: string): Promise<CampaignRow | undefined> {
  const [row] = await queries.select().from(campaigns).where(eq(campaigns.id, id)).for("update");
  return row;
}

/** Returns the campaign, which does not change until the transaction ends. */
export async function lockUnchanged(queries: Queries, id: string): Promise<CampaignRow | undefined> {
  const [row] = await queries.select().from(campaigns).where(eq(campaigns.id, id)).for("share");
  return row;
}

export async function listCampaigns(
  queries: Queries,
  organizationId: string,
  { status, agentId, ...page }: CampaignFilter,
): Promise<Rows<CampaignRow>> {
  const conditions: SQL[] = [eq(campaigns.organizationId, organizationId)];
  if (status !== undefined) conditions.push(inArray(campaigns.status, [...status]));
  if (agentId !== undefined) conditions.push(eq(campaigns.agentId, agentId));
  const where = and(...conditions);
  const { limit, offset, orderBy } = pageOf(page, campaigns.createdAt, campaigns.id);
  const rows = await queries
    .select()
    .from(campaigns)
    .where(where)
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);
  return { rows, total: await countRows(queries, campaigns, where) };
}

export async function updateCampaign(
  queries: Queries,
  id: string,
  change: Partial<CampaignInsert>,
): Promise<CampaignRow> {
  const [row] = await queries.update(campaigns).set(change).where(eq(campaigns.id, id)).returning();
  if (row === undefined) throw new Error(`there is no campaign ${id}`);
  return row;
}

export async function deleteCampaign(queries: Queries, id: string): Promise<void> {
  await queries.delete(campaigns).where(eq(campaigns.id, id));
}

export async function hasUnendedCampaign(queries: Queries, agentId: string): Promise<boolean> {
  const [row] = await queries
    .select({ id: campaigns.id })
    .from(campaigns)
    .where(and(eq(campaigns.agentId, agentId), notInArray(campaigns.status, ["completed", "canceled"])))
    .limit(1);
  return row !== undefined;
}

/** Returns the campaigns that dial, or will dial at their `startAt`. */
export async function listDialing(queries: Queries): Promise<CampaignRow[]> {
  return await queries
    .select()
    .from(campaigns)
    .where(sql`${campaigns.status} in ('scheduled', 'running')`);
}

/** Reads one index entry per campaign and time zone. */
export async function findDueTimes(
  queries: Queries,
  ids: readonly string[],
): Promise<Map<string, Map<string, Date>>> {
  const due = new Map<string, Map<string, Date>>();
  if (ids.length === 0) return due;
  const { rows } = await queries.execute<{ id: string; timezone: string; dueAtMs: string }>(sql`
    select ${campaigns.id} as id, zone.name as timezone, extract(epoch from first.due_at) * 1000 as "dueAtMs"
    from ${campaigns} cross join unnest(${campaigns.timezones}) as zone (name)
    cross join lateral (
      select ${campaignContacts.dueAt} from ${campaignContacts}
      where ${campaignContacts.campaignId} = ${campaigns.id} and ${campaignContacts.timezone} = zone.name
        and ${campaignContacts.status} = 'pending'
      order by ${campaignContacts.dueAt} limit 1
    ) as first
    where ${inArray(campaigns.id, [...ids])}`);
  for (const { id, timezone, dueAtMs } of rows) {
    const times = due.get(id) ?? new Map<string, Date>();
    due.set(id, times.set(timezone, new Date(Math.round(Number(dueAtMs)))));
  }
  return due;
}
