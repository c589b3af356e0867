import { and, eq, exists, gte, not, sql } from "drizzle-orm";
import { AppError } from "../../platform/app-error.ts";
import type { Queries } from "../../platform/database/database.ts";
import type { PublishedRevision } from "../agents/versions/agent-versions.service.ts";
import { testCases, testRuns, testSuites } from "./test-suites.tables.ts";

/**
 * Throws `release_gate_failed` if a suite that is a release gate of the agent has no run in which all its cases, as they are
 * now, passed on this revision.
 */
export async function requireReleaseGates(
  transaction: Queries,
  { organizationId, agentId, revision }: PublishedRevision,
): Promise<void> {
  const passed = transaction
    .select({ id: testRuns.id })
    .from(testRuns)
    .where(
      and(
        eq(testRuns.testSuiteId, testSuites.id),
        eq(testRuns.agentId, agentId),
        eq(testRuns.configurationRevision, revision),
        eq(testRuns.status, "completed"),
        eq(testRuns.passedTests, testRuns.totalTests),
        gte(
          testRuns.totalTests,
          sql`(select count(*) from ${testCases} where ${testCases.testSuiteId} = ${testSuites.id})`,
        ),
        sql`${testRuns.createdAt} >= (select max(${testCases.updatedAt}) from ${testCases} where ${testCases.testSuiteId} = ${testSuites.id})`,
      ),
    );
  const failed = await transaction
    .select({ name: testSuites.name })
    .from(testSuites)
    .where(
      and(
        eq(testSuites.organizationId, organizationId),
        eq(testSuites.agentId, agentId),
        eq(testSuites.isReleaseGate, true),
        not(exists(passed)),
      ),
    );
  if (failed.length === 0) return;
  const names = failed.map(({ name }) => `“${name}”`).join(", ");
  throw new AppError("release_gate_failed", {
    message:
      `Revision ${revision} has not passed all cases, as they are now, of the test suites that are release gates: ${names}. ` +
      "Run them, or let an admin publish with overrideReleaseGate.",
  });
}
