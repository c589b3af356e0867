import {
  MAX_ATTEMPTS_PER_RUN,
  type AttemptResult,
  type TestCaseDefinition,
  type TestRun,
  type TranscriptItem,
  type TestAttempt,
} from "@parley/contract";
import type { AttemptRow, RunCaseSummary, RunRow } from "./test-runs.store.ts";

const MAX_NAME_CHARACTERS = 128;

/** Number of an attempt, and the case that it is of. */
interface PlannedAttempt {
  testCaseId: string;
  attemptNumber: number;
  position: number;
}

/** The attempts of a run: the first ones of all cases, then the second ones. */
export function planAttempts(
  cases: readonly { id: string; definition: Pick<TestCaseDefinition, "attemptsPerRun"> }[],
): PlannedAttempt[] {
  const rounds = Math.max(0, ...cases.map(({ definition }) => definition.attemptsPerRun));
  const planned: PlannedAttempt[] = [];
  for (let attemptNumber = 1; attemptNumber <= rounds; attemptNumber++)
    for (const { id: testCaseId, definition } of cases)
      if (attemptNumber <= definition.attemptsPerRun)
        planned.push({ testCaseId, attemptNumber, position: planned.length });
  return planned;
}

export const isTooMany = (attempts: readonly unknown[]): boolean => attempts.length > MAX_ATTEMPTS_PER_RUN;

/** Name of a run that was started without one. */
export function nameRun(suiteName: string, at: Date): string {
  const time = `${at.toISOString().slice(0, 16).replace("T", " ")} UTC`;
  return `${suiteName
    .slice(0, MAX_NAME_CHARACTERS - time.length - 2)
    .trim()
    .toWellFormed()}, ${time}`;
}

type Counts = Pick<RunRow, "passedTests" | "failedTests" | "completedAttempts">;

/** Counts of a run from its results. A case passes if all its attempts pass, and fails if one fails or ends in an error. */
export function countRun(
  results: readonly { testCaseId: string; result: AttemptResult | null; total: number }[],
): Counts {
  const cases = [...Map.groupBy(results, ({ testCaseId }) => testCaseId).values()];
  const completed = results.filter(({ result }) => result !== null);
  return {
    passedTests: cases.filter((each) => each.every(({ result }) => result === "pass")).length,
    failedTests: cases.filter((each) => each.some(({ result }) => result === "fail" || result === "error"))
      .length,
    completedAttempts: completed.reduce((sum, { total }) => sum + total, 0),
  };
}

export function presentRun(row: RunRow): TestRun {
  return {
    id: row.id,
    testSuiteId: row.testSuiteId,
    name: row.name,
    status: row.status,
    totalTests: row.totalTests,
    passedTests: row.passedTests,
    failedTests: row.failedTests,
    totalAttempts: row.totalAttempts,
    completedAttempts: row.completedAttempts,
    mode: row.mode,
    agentId: row.agentId,
    agentRevision: row.agentRevision,
    configurationRevision: row.configurationRevision,
    environment: row.environment,
    variables: row.variables,
    startedAt: row.startedAt?.toISOString() ?? null,
    completedAt: row.completedAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

/** Presents attempts in the order of their cases, then of their numbers. */
export function presentAttempts(
  attempts: readonly AttemptRow[],
  cases: readonly RunCaseSummary[],
  transcripts: ReadonlyMap<string, readonly TranscriptItem[]>,
): TestAttempt[] {
  const caseOf = new Map(cases.map((each) => [each.testCaseId, each]));
  const positionOf = ({ testCaseId }: AttemptRow): number => caseOf.get(testCaseId)?.position ?? 0;
  return attempts
    .toSorted((one, other) => positionOf(one) - positionOf(other) || one.attemptNumber - other.attemptNumber)
    .map((row) => ({
      id: row.id,
      testCaseId: row.testCaseId,
      testCaseName: caseOf.get(row.testCaseId)?.name ?? "",
      attemptNumber: row.attemptNumber,
      callId: row.callId,
      inboundCallId: row.inboundCallId,
      conversationId: row.conversationId,
      result: row.result,
      reasoning: row.reasoning,
      evidence: row.evidence,
      assertions: row.assertions,
      endReason: row.endReason,
      transcript: [...(transcripts.get(row.conversationId ?? "") ?? [])],
      variables: caseOf.get(row.testCaseId)?.variables ?? {},
      createdAt: row.createdAt.toISOString(),
      startedAt: row.startedAt?.toISOString() ?? null,
      completedAt: row.completedAt?.toISOString() ?? null,
    }));
}
