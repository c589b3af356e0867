import type { TestAttempt, TestRun, TestRunDetail } from "@parley/client";

export interface CaseOutcome {
  id: string;
  name: string;
  attempts: readonly TestAttempt[];
  passed: number;
  /** Null: an attempt has no result yet. */
  result: TestAttempt["result"];
}

/** From the worst to the best: one attempt that failed decides about its case. */
const bySeverity = ["fail", "error", "cancelled", "pass"] as const;

/** The cases of a run, in its order, with their attempts. */
export function outcomesOf({ attempts }: Pick<TestRunDetail, "attempts">): CaseOutcome[] {
  const byCase = groupBy(attempts, ({ testCaseId }) => testCaseId);
  return [...byCase].map(([id, own]) => ({
    id,
    name: own[0]?.testCaseName ?? "",
    attempts: own.toSorted((one, other) => one.attemptNumber - other.attemptNumber),
    passed: own.filter(({ result }) => result === "pass").length,
    result: own.some(({ result }) => result === null)
      ? null
      : (bySeverity.find((each) => own.some(({ result }) => result === each)) ?? null),
  }));
}

/** The attempt that is looked at first: one that runs, else one that did not pass. */
export function firstOfInterest(attempts: readonly TestAttempt[]): TestAttempt | undefined {
  return (
    attempts.find(({ result, startedAt }) => result === null && startedAt !== null) ??
    attempts.find(({ result }) => result === "fail" || result === "error") ??
    attempts[0]
  );
}

export interface RevisionRate {
  /** `undefined`: unknown. */
  revision: number | undefined;
  runs: number;
  cases: number;
  passed: number;
}

/** Passed cases of completed runs by the agent's revision, the newest first. */
export function ratesByRevision(runs: readonly TestRun[]): RevisionRate[] {
  const completed = runs.filter(({ status }) => status === "completed");
  const byRevision = groupBy(completed, revisionOf);
  return [...byRevision]
    .map(([revision, own]) => ({
      revision,
      runs: own.length,
      cases: own.reduce((sum, { totalTests }) => sum + totalTests, 0),
      passed: own.reduce((sum, { passedTests }) => sum + passedTests, 0),
    }))
    .toSorted((one, other) => (other.revision ?? 0) - (one.revision ?? 0));
}

function revisionOf(run: Pick<TestRun, "agentRevision" | "configurationRevision">): number | undefined {
  return run.configurationRevision ?? run.agentRevision ?? undefined;
}

export interface ComparedCase {
  id: string;
  name: string;
  before: CaseOutcome | undefined;
  after: CaseOutcome | undefined;
  change: "better" | "worse" | "same" | "added" | "removed" | "unfinished";
}

/** The cases of two runs, those that changed first. */
export function compareRuns(before: TestRunDetail, after: TestRunDetail): ComparedCase[] {
  const [old, current] = [before, after].map(
    (run) => new Map(outcomesOf(run).map((each) => [each.id, each])),
  );
  const ids = new Set([...(current?.keys() ?? []), ...(old?.keys() ?? [])]);
  const rows = [...ids].map((id) => {
    const [earlier, later] = [old?.get(id), current?.get(id)];
    return {
      id,
      name: (later ?? earlier)?.name ?? "",
      before: earlier,
      after: later,
      change: changeOf(earlier, later),
    };
  });
  const order = ["worse", "better", "unfinished", "added", "removed", "same"] as const;
  return rows.toSorted((one, other) => order.indexOf(one.change) - order.indexOf(other.change));
}

/** By the share of attempts that passed. */
function changeOf(before: CaseOutcome | undefined, after: CaseOutcome | undefined): ComparedCase["change"] {
  if (before === undefined) return "added";
  if (after === undefined) return "removed";
  if (![before, after].every(isFinished)) return "unfinished";
  const difference = after.passed / after.attempts.length - before.passed / before.attempts.length;
  return difference > 0 ? "better" : difference < 0 ? "worse" : "same";
}

/** Whether every attempt has a verdict: neither waits nor was cancelled. */
function isFinished({ attempts }: CaseOutcome): boolean {
  return attempts.every(({ result }) => result !== null && result !== "cancelled");
}

function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return groups;
}
