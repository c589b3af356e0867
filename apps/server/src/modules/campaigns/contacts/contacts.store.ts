import type { ContactOutcome, ContactStatus, PageQuery } from "@parley/contract";
import { type SQL, and, asc, eq, gt, inArray, sql } from "drizzle-orm";
import type { Queries } from "../../../platform/database/database.ts";
import { countRows, pageOf, type Rows } from "../../../platform/database/page.ts";
import { campaignContacts as contacts } from "../campaigns.tables.ts";
import type { NewContact } from "./contact-intake.rules.ts";

export type ContactRow = typeof contacts.$inferSelect;

export interface ContactFilter extends PageQuery {
  status?: readonly ContactStatus[];
  outcome?: readonly ContactOutcome[];
  toNumber?: string;
}

/** Rows of one statement: writing them as JSON blocks other work of the process for milliseconds. */
const INSERTED_AT_ONCE = 1_000;

/** Inserts contacts whose number the campaign does not have yet, in this order. Returns how many. */
export async function insertContacts(
  queries: Queries,
  campaignId: string,
  rows: readonly NewContact[],
  now: Date,
): Promise<number> {
  let inserted = 0;
  for (let first = 0; first < rows.length; first += INSERTED_AT_ONCE)
    inserted += await insertSome(queries, campaignId, rows.slice(first, first + INSERTED_AT_ONCE), now);
  return inserted;
}

async function insertSome(
  queries: Queries,
  campaignId: string,
  rows: readonly NewContact[],
  now: Date,
): Promise<number> {
  const at = now.toISOString();
  // One parameter: PostgreSQL accepts 65,535.
  const { rowCount } = await queries.execute(sql`
    insert into ${contacts} (campaign_id, to_number, variables, timezone, due_at, created_at, updated_at)
    select ${campaignId}, row ->> 'toNumber', row -> 'variables', row ->> 'timezone', ${at}, ${at}, ${at}
    from jsonb_array_elements(${JSON.stringify(rows)}::jsonb) with ordinality as entry (row, place)
    order by place
    on conflict (campaign_id, to_number) do nothing`);
  return rowCount ?? 0;
}

export async function listContacts(
  queries: Queries,
  campaignId: string,
  { status, outcome, toNumber, ...page }: ContactFilter,
): Promise<Rows<ContactRow>> {
  const conditions: SQL[] = [eq(contacts.campaignId, campaignId)];
  if (status !== undefined) conditions.push(inArray(contacts.status, [...status]));
  if (outcome !== undefined) conditions.push(inArray(contacts.outcome, [...outcome]));
  if (toNumber !== undefined) conditions.push(eq(contacts.toNumber, toNumber));
  const where = and(...conditions);
  const { limit, offset, orderBy } = pageOf(page, contacts.position, contacts.id);
  const rows = await queries
    .select()
    .from(contacts)
    .where(where)
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);
  return { rows, total: await countRows(queries, contacts, where) };
}

/** Returns contacts after a position, in the order of their creation. */
export async function listContactsAfter(
  queries: Queries,
  campaignId: string,
  position: number,
  limit: number,
): Promise<ContactRow[]> {
  return await queries
    .select()
    .from(contacts)
    .where(and(eq(contacts.campaignId, campaignId), gt(contacts.position, position)))
    .orderBy(asc(contacts.position))
    .limit(limit);
}

/** Returns the names of all variables of the campaign's contacts, sorted. */
export async function listVariableNames(queries: Queries, campaignId: string): Promise<string[]> {
  const { rows } = await queries.execute<{ name: string }>(sql`
    select distinct jsonb_object_keys(variables) as name from ${contacts}
    where campaign_id = ${campaignId} order by name`);
  return rows.map(({ name }) => name);
}

export async function findContact(
  queries: Queries,
  campaignId: string,
  id: string,
): Promise<ContactRow | undefined> {
  const [row] = await queries
    .select()
    .from(contacts)
    .where(and(eq(contacts.campaignId, campaignId), eq(contacts.id, id)));
  return row;
}

export async function updateContact(
  queries: Queries,
  id: string,
  change: Partial<typeof contacts.$inferInsert>,
): Promise<void> {
  await queries.update(contacts).set(change).where(eq(contacts.id, id));
}

/** Returns and locks the contact of a call; `undefined` if the call is no longer its current one. */
export async function lockContactOfCall(
  queries: Queries,
  id: string,
  callId: string,
): Promise<ContactRow | undefined> {
  const [row] = await queries
    .select()
    .from(contacts)
    .where(and(eq(contacts.id, id), eq(contacts.callId, callId)))
    .for("update");
  return row;
}

/**
 * Locks the pending contact that is due first, of those in these time zones. Reads one index entry per time zone, however
 * many contacts wait, and writes one lock: the caller has locked the campaign, so that no other claim chooses meanwhile.
 */
export async function lockDueContact(
  queries: Queries,
  campaignId: string,
  timezones: readonly string[],
  now: Date,
): Promise<ContactRow | undefined> {
  const first = sql`(
    select due.id from unnest(${sql.param([...timezones])}::text[]) as zone (name)
    cross join lateral (
      select ${contacts.id}, ${contacts.dueAt}, ${contacts.position} from ${contacts}
      where ${contacts.campaignId} = ${campaignId} and ${contacts.timezone} = zone.name
        and ${contacts.status} = 'pending' and ${contacts.dueAt} <= ${now.toISOString()}
      order by ${contacts.dueAt}, ${contacts.position} limit 1
    ) as due
    order by due.due_at, due.position limit 1)`;
  const [row] = await queries
    .select()
    .from(contacts)
    .where(sql`${contacts.id} = ${first}`)
    .for("update");
  return row;
}

/** Ends all pending contacts of a canceled campaign: those never dialed, and those that wait for a retry. */
export async function endPendingContacts(
  queries: Queries,
  campaignId: string,
  now: Date,
): Promise<{ attempted: boolean; outcome: ContactOutcome; count: number }[]> {
  const { rows } = await queries.execute<{
    attempted: boolean;
    outcome: ContactOutcome;
    count: number;
  }>(sql`
    with ended as (
      update ${contacts} set
        status = case when attempts > 0 then 'failed' else 'canceled' end,
        outcome = case when attempts > 0 then outcome else 'canceled' end,
        updated_at = ${now.toISOString()}
      where campaign_id = ${campaignId} and status = 'pending'
      returning attempts > 0 as attempted, outcome
    )
    select attempted, outcome, count(*)::int as count from ended group by attempted, outcome`);
  return rows;
}
