import type { PageQuery, TestCaseDefinition } from "@parley/contract";
import { and, asc, count, eq, inArray, sql } from "drizzle-orm";
import type { Queries } from "../../platform/database/database.ts";
import { countRows, pageOf, type Rows } from "../../platform/database/page.ts";
import { testCases, testSuites } from "./test-suites.tables.ts";

export type SuiteRow = typeof testSuites.$inferSelect;
export type CaseRow = typeof testCases.$inferSelect;
type SuiteInsert = typeof testSuites.$inferInsert;

export interface SuiteFilter extends PageQuery {
  agentId?: string;
}

const ownedBy = (organizationId: string, id: string) =>
  and(eq(testSuites.organizationId, organizationId), eq(testSuites.id, id));

const inSuite = (suiteId: string, id: string) =>
  and(eq(testCases.testSuiteId, suiteId), eq(testCases.id, id));

export async function insertSuite(queries: Queries, suite: SuiteInsert): Promise<SuiteRow> {
  const [row] = await queries.insert(testSuites).values(suite).returning();
  if (row === undefined) throw new Error("the test suite was not stored");
  return row;
}

export async function findSuite(
  queries: Queries,
  organizationId: string,
  id: string,
): Promise<SuiteRow | undefined> {
  const [row] = await queries.select().from(testSuites).where(ownedBy(organizationId, id));
  return row;
}

/** Locks the suite: its cases are created, and its runs started, one after the other. */
export async function lockSuite(
  queries: Queries,
  organizationId: string,
  id: string,
): Promise<SuiteRow | undefined> {
  const [row] = await queries.select().from(testSuites).where(ownedBy(organizationId, id)).for("update");
  return row;
}

export async function listSuites(
  queries: Queries,
  organizationId: string,
  { agentId, ...page }: SuiteFilter,
): Promise<Rows<SuiteRow>> {
  const ofAgent = agentId === undefined ? undefined : eq(testSuites.agentId, agentId);
  const where = and(eq(testSuites.organizationId, organizationId), ofAgent);
  const { limit, offset, orderBy } = pageOf(page, testSuites.createdAt, testSuites.id);
  const rows = await queries
    .select()
    .from(testSuites)
    .where(where)
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);
  return { rows, total: await countRows(queries, testSuites, where) };
}

export async function updateSuite(
  queries: Queries,
  organizationId: string,
  id: string,
  change: Partial<SuiteInsert>,
): Promise<SuiteRow | undefined> {
  const [row] = await queries.update(testSuites).set(change).where(ownedBy(organizationId, id)).returning();
  return row;
}

export async function deleteSuite(queries: Queries, id: string): Promise<void> {
  await queries.delete(testSuites).where(eq(testSuites.id, id));
}

/** Number of cases by suite; suites without a case are absent. */
export async function countCases(
  queries: Queries,
  suiteIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (suiteIds.length === 0) return new Map();
  const rows = await queries
    .select({ id: testCases.testSuiteId, total: count() })
    .from(testCases)
    .where(inArray(testCases.testSuiteId, [...suiteIds]))
    .groupBy(testCases.testSuiteId);
  return new Map(rows.map(({ id, total }) => [id, total]));
}

/** Bytes of all definitions of a suite as JSON. */
export async function sumSizes(queries: Queries, suiteId: string): Promise<number> {
  const bytes = sql<string>`coalesce(sum(octet_length(${testCases.definition}::text)), 0)`;
  const [row] = await queries.select({ bytes }).from(testCases).where(eq(testCases.testSuiteId, suiteId));
  return Number(row?.bytes ?? 0);
}

export async function insertCase(
  queries: Queries,
  testCase: { testSuiteId: string; name: string; definition: TestCaseDefinition },
): Promise<CaseRow> {
  const [row] = await queries.insert(testCases).values(testCase).returning();
  if (row === undefined) throw new Error("the test case was not stored");
  return row;
}

/** In the order of their creation. */
export async function listCases(queries: Queries, suiteId: string): Promise<CaseRow[]> {
  return await queries
    .select()
    .from(testCases)
    .where(eq(testCases.testSuiteId, suiteId))
    .orderBy(asc(testCases.position));
}

export async function findCase(queries: Queries, suiteId: string, id: string): Promise<CaseRow | undefined> {
  const [row] = await queries.select().from(testCases).where(inSuite(suiteId, id));
  return row;
}

/** Locks the case until the transaction ends. */
export async function lockCase(queries: Queries, suiteId: string, id: string): Promise<CaseRow | undefined> {
  const [row] = await queries.select().from(testCases).where(inSuite(suiteId, id)).for("update");
  return row;
}

export async function updateCase(
  queries: Queries,
  id: string,
  change: Partial<typeof testCases.$inferInsert>,
): Promise<CaseRow | undefined> {
  const [row] = await queries.update(testCases).set(change).where(eq(testCases.id, id)).returning();
  return row;
}

/** Returns whether there was such a case. */
export async function deleteCase(queries: Queries, suiteId: string, id: string): Promise<boolean> {
  const { rowCount } = await queries.delete(testCases).where(inSuite(suiteId, id));
  return rowCount === 1;
}
