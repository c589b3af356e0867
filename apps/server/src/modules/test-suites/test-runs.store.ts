import type { AttemptResult, PageQuery, TestMode } from "@parley/contract";
import {
  and,
  asc,
  count,
  desc,
  eq,
  getTableColumns,
  gte,
  inArray,
  isNotNull,
  isNull,
  lt,
  lte,
  or,
  sql,
} from "drizzle-orm";
import type { Queries } from "../../platform/database/database.ts";
import { countRows, pageOf, type Rows } from "../../platform/database/page.ts";
import { testAttempts, testRunCases, testRuns } from "./test-suites.tables.ts";

export type RunRow = typeof testRuns.$inferSelect;
export type RunInsert = typeof testRuns.$inferInsert;
export type RunCaseRow = typeof testRunCases.$inferSelect;
export type AttemptRow = typeof testAttempts.$inferSelect;
type AttemptChange = Partial<typeof testAttempts.$inferInsert>;

/** A node's right to carry an attempt. */
export interface Claim {
  claimId: string;
  claimedUntil: Date;
}
export type ClaimedAttempt = AttemptRow & Claim;

const ROWS_PER_INSERT = 500;

const inSuite = (organizationId: string, suiteId: string) =>
  and(eq(testRuns.organizationId, organizationId), eq(testRuns.testSuiteId, suiteId));

export async function insertRun(queries: Queries, run: RunInsert): Promise<RunRow> {
  const [row] = await queries.insert(testRuns).values(run).returning();
  if (row === undefined) throw new Error("the test run was not stored");
  return row;
}

export async function insertRunCases(
  queries: Queries,
  cases: readonly (typeof testRunCases.$inferInsert)[],
): Promise<void> {
  await queries.insert(testRunCases).values([...cases]);
}

export async function insertAttempts(
  queries: Queries,
  attempts: readonly (typeof testAttempts.$inferInsert)[],
): Promise<void> {
  for (let index = 0; index < attempts.length; index += ROWS_PER_INSERT)
    await queries.insert(testAttempts).values(attempts.slice(index, index + ROWS_PER_INSERT));
}

export async function findRun(
  queries: Queries,
  organizationId: string,
  suiteId: string,
  id: string,
): Promise<RunRow | undefined> {
  const [row] = await queries
    .select()
    .from(testRuns)
    .where(and(inSuite(organizationId, suiteId), eq(testRuns.id, id)));
  return row;
}

export async function findRunById(queries: Queries, id: string): Promise<RunRow | undefined> {
  const [row] = await queries.select().from(testRuns).where(eq(testRuns.id, id));
  return row;
}

/** Every change of the result of an attempt happens under this lock. */
export async function lockRun(queries: Queries, id: string): Promise<RunRow | undefined> {
  const [row] = await queries.select().from(testRuns).where(eq(testRuns.id, id)).for("update");
  return row;
}

export async function updateRun(
  queries: Queries,
  id: string,
  change: Partial<RunInsert>,
): Promise<RunRow | undefined> {
  const [row] = await queries.update(testRuns).set(change).where(eq(testRuns.id, id)).returning();
  return row;
}

export async function listRuns(
  queries: Queries,
  organizationId: string,
  suiteId: string,
  page: PageQuery,
): Promise<Rows<RunRow>> {
  const where = inSuite(organizationId, suiteId);
  const { limit, offset, orderBy } = pageOf(page, testRuns.createdAt, testRuns.id);
  const rows = await queries
    .select()
    .from(testRuns)
    .where(where)
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);
  return { rows, total: await countRows(queries, testRuns, where) };
}

/** The run of the suite that started before this one. */
export async function findRunBefore(queries: Queries, run: RunRow): Promise<RunRow | undefined> {
  const [row] = await queries
    .select()
    .from(testRuns)
    .where(and(eq(testRuns.testSuiteId, run.testSuiteId), lt(testRuns.createdAt, run.createdAt)))
    .orderBy(desc(testRuns.createdAt))
    .limit(1);
  return row;
}

export async function listOpenRuns(queries: Queries, suiteId: string): Promise<string[]> {
  const open = and(eq(testRuns.testSuiteId, suiteId), inArray(testRuns.status, ["queued", "running"]));
  const rows = await queries.select({ id: testRuns.id }).from(testRuns).where(open);
  return rows.map(({ id }) => id);
}

/** A case of a run without its definition, which can be long. */
export type RunCaseSummary = Omit<RunCaseRow, "definition">;

/** The cases of runs, as they were at the start. */
export async function listRunCases(queries: Queries, runIds: readonly string[]): Promise<RunCaseSummary[]> {
  if (runIds.length === 0) return [];
  const { definition: _definition, ...columns } = getTableColumns(testRunCases);
  return await queries
    .select(columns)
    .from(testRunCases)
    .where(inArray(testRunCases.runId, [...runIds]))
    .orderBy(asc(testRunCases.position));
}

export async function findRunCase(
  queries: Queries,
  { runId, testCaseId }: Pick<AttemptRow, "runId" | "testCaseId">,
): Promise<RunCaseRow | undefined> {
  const [row] = await queries
    .select()
    .from(testRunCases)
    .where(and(eq(testRunCases.runId, runId), eq(testRunCases.testCaseId, testCaseId)));
  return row;
}

export async function listAttempts(queries: Queries, runIds: readonly string[]): Promise<AttemptRow[]> {
  if (runIds.length === 0) return [];
  return await queries
    .select()
    .from(testAttempts)
    .where(inArray(testAttempts.runId, [...runIds]))
    .orderBy(asc(testAttempts.position));
}

/** Number of attempts by result, for each case of a run. */
export async function countResults(
  queries: Queries,
  runId: string,
): Promise<{ testCaseId: string; result: AttemptResult | null; total: number }[]> {
  return await queries
    .select({ testCaseId: testAttempts.testCaseId, result: testAttempts.result, total: count() })
    .from(testAttempts)
    .where(eq(testAttempts.runId, runId))
    .groupBy(testAttempts.testCaseId, testAttempts.result);
}

const isFree = (now: Date) => or(isNull(testAttempts.claimId), lt(testAttempts.claimedUntil, now));
const isClaimed = (now: Date) =>
  and(isNull(testAttempts.result), isNotNull(testAttempts.claimId), gte(testAttempts.claimedUntil, now));
const isWaiting = (now: Date, modes: readonly TestMode[]) =>
  and(
    isNull(testAttempts.result),
    lte(testAttempts.dueAt, now),
    inArray(testAttempts.mode, [...modes]),
    isFree(now),
  );

/** Organizations with attempts that can be claimed; those with the fewest attempts in progress first. */
export async function listWaitingOrganizations(
  queries: Queries,
  now: Date,
  modes: readonly TestMode[],
): Promise<string[]> {
  const waiting = sql`bool_or(${isWaiting(now, modes)})`;
  const rows = await queries
    .select({ id: testAttempts.organizationId })
    .from(testAttempts)
    .where(isNull(testAttempts.result))
    .groupBy(testAttempts.organizationId)
    .having(waiting)
    .orderBy(sql`count(*) filter (where ${isClaimed(now)})`);
  return rows.map(({ id }) => id);
}

/** One claim of an organization at a time, until the transaction ends. */
export async function lockClaims(queries: Queries, organizationId: string): Promise<void> {
  const name = `test attempts/${organizationId}`;
  await queries.execute(sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`);
}

export async function countClaimed(queries: Queries, organizationId: string, now: Date): Promise<number> {
  return await countRows(
    queries,
    testAttempts,
    and(eq(testAttempts.organizationId, organizationId), isClaimed(now)),
  );
}

/** The attempt that is claimed next. */
export async function findWaiting(
  queries: Queries,
  organizationId: string,
  now: Date,
  modes: readonly TestMode[],
): Promise<AttemptRow | undefined> {
  const [row] = await queries
    .select()
    .from(testAttempts)
    .where(and(eq(testAttempts.organizationId, organizationId), isWaiting(now, modes)))
    .orderBy(asc(testAttempts.createdAt), asc(testAttempts.position))
    .limit(1);
  return row;
}

/** Changes an attempt without a result; `undefined` if it has one. */
export async function updateOpenAttempt(
  queries: Queries,
  id: string,
  change: AttemptChange,
): Promise<AttemptRow | undefined> {
  const [row] = await queries
    .update(testAttempts)
    .set(change)
    .where(and(eq(testAttempts.id, id), isNull(testAttempts.result)))
    .returning();
  return row;
}

/** Changes an attempt while the claim is valid. Returns whether it was. */
export async function updateClaimed(
  queries: Queries,
  { id, claimId }: Pick<ClaimedAttempt, "id" | "claimId">,
  change: AttemptChange,
): Promise<boolean> {
  const { rowCount } = await queries
    .update(testAttempts)
    .set(change)
    .where(and(eq(testAttempts.id, id), eq(testAttempts.claimId, claimId), isNull(testAttempts.result)));
  return rowCount === 1;
}

/** Gives all attempts of a run without a result this one. */
export async function endOpenAttempts(queries: Queries, runId: string, change: AttemptChange): Promise<void> {
  await queries
    .update(testAttempts)
    .set(change)
    .where(and(eq(testAttempts.runId, runId), isNull(testAttempts.result)));
}
