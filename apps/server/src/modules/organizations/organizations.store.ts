import type { LimitOverrides, PageQuery } from "@parley/contract";
import { and, asc, eq, isNull, sql } from "drizzle-orm";
import { contains } from "../../platform/database/contains.ts";
import type { Queries } from "../../platform/database/database.ts";
import { countRows, pageOf, type Rows } from "../../platform/database/page.ts";
import { prepareOnce } from "../../platform/database/prepared-query.ts";
import { organizations } from "./organizations.tables.ts";

export type OrganizationRow = typeof organizations.$inferSelect;

const organizationById = prepareOnce((queries) =>
  queries
    .select()
    .from(organizations)
    .where(eq(organizations.id, sql.placeholder("id")))
    .prepare(""),
);

export async function findOrganization(queries: Queries, id: string): Promise<OrganizationRow | undefined> {
  const [row] = await organizationById(queries).execute({ id });
  return row;
}

export async function listOrganizations(
  queries: Queries,
  query: PageQuery & { search?: string },
): Promise<Rows<OrganizationRow>> {
  const { search } = query;
  const where = search === undefined ? undefined : contains(organizations.name, search);
  const { limit, offset, orderBy } = pageOf(query, organizations.createdAt, organizations.id);
  const rows = await queries
    .select()
    .from(organizations)
    .where(where)
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);
  return { rows, total: await countRows(queries, organizations, where) };
}

/** Returns the id. */
export async function insertOrganization(
  queries: Queries,
  organization: typeof organizations.$inferInsert,
): Promise<string> {
  const [row] = await queries.insert(organizations).values(organization).returning({ id: organizations.id });
  if (row === undefined) throw new Error("the organization was not stored");
  return row.id;
}

/** Returns whether the organization exists. */
export async function updateOrganization(
  queries: Queries,
  id: string,
  change: Partial<typeof organizations.$inferInsert>,
): Promise<boolean> {
  // A change of nothing still finds out whether the organization exists.
  const rows = await queries
    .update(organizations)
    .set({ ...change, id })
    .where(eq(organizations.id, id))
    .returning({ id: organizations.id });
  return rows.length > 0;
}

/** Returns the organization of this slug, and creates it if it does not exist. */
export async function ensureOrganization(
  queries: Queries,
  slug: string,
  name: string,
): Promise<OrganizationRow> {
  await queries.insert(organizations).values({ slug, name }).onConflictDoNothing();
  const [row] = await queries.select().from(organizations).where(eq(organizations.slug, slug));
  if (row === undefined) throw new Error(`organization ${slug} vanished while it was created`);
  return row;
}

/**
 * If two nodes do this at once, only one creates the organization: the second waits for the first on the slug's index.
 */
export async function insertFirstOrganization(
  queries: Queries,
  slug: string,
  name: string,
): Promise<OrganizationRow | undefined> {
  const [existing] = await queries.select({ id: organizations.id }).from(organizations).limit(1);
  if (existing !== undefined) return undefined;
  const [row] = await queries.insert(organizations).values({ slug, name }).onConflictDoNothing().returning();
  return row;
}

/** Returns `undefined` if there is no organization. */
export async function findOldestOrganization(queries: Queries): Promise<OrganizationRow | undefined> {
  const [row] = await queries
    .select()
    .from(organizations)
    .orderBy(asc(organizations.createdAt), asc(organizations.id))
    .limit(1);
  return row;
}

/** Returns `undefined` if the organization does not exist. */
export async function findLimitOverrides(queries: Queries, id: string): Promise<LimitOverrides | undefined> {
  const [row] = await queries
    .select({ limits: organizations.limits })
    .from(organizations)
    .where(eq(organizations.id, id));
  return row?.limits;
}

/** Waits for other transactions that lock the organization. References to it are not blocked. */
export async function lockOrganization(queries: Queries, id: string): Promise<OrganizationRow | undefined> {
  const [row] = await queries
    .select()
    .from(organizations)
    .where(eq(organizations.id, id))
    .for("no key update");
  return row;
}

export async function updateBilling(queries: Queries, id: string, isBillingActive: boolean): Promise<void> {
  await queries.update(organizations).set({ isBillingActive }).where(eq(organizations.id, id));
}

export async function insertHomeCountry(queries: Queries, id: string, homeCountry: string): Promise<void> {
  const isUnknown = and(eq(organizations.id, id), isNull(organizations.homeCountry));
  await queries.update(organizations).set({ homeCountry }).where(isUnknown);
}

export async function updateLimits(queries: Queries, id: string, limits: LimitOverrides): Promise<void> {
  await queries.update(organizations).set({ limits }).where(eq(organizations.id, id));
}

export async function countOrganizations(queries: Queries): Promise<number> {
  return await countRows(queries, organizations, undefined);
}
