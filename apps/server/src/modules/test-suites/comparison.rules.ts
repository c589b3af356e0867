import type { AttemptResult, TestResultCounts, TestRunComparison } from "@parley/contract";

/** Attempts of a case of one run by result. */
export interface CaseResults {
  testCaseId: string;
  name: string;
  results: readonly { result: AttemptResult | null; total: number }[];
}

type Compared = TestRunComparison["tests"][number];

/** Compares two runs case by case, in the order of the first, then that of the base. */
export function compareRuns(run: readonly CaseResults[], base: readonly CaseResults[]): Compared[] {
  const ofBase = new Map(base.map((each) => [each.testCaseId, each]));
  const ofRun = new Set(run.map(({ testCaseId }) => testCaseId));
  return [
    ...run.map((each) => compare(each, each, ofBase.get(each.testCaseId))),
    ...base.filter(({ testCaseId }) => !ofRun.has(testCaseId)).map((each) => compare(each, undefined, each)),
  ];
}

function compare(
  { testCaseId, name }: CaseResults,
  run: CaseResults | undefined,
  base: CaseResults | undefined,
): Compared {
  const counts = {
    run: run === undefined ? null : countResults(run),
    base: base === undefined ? null : countResults(base),
  };
  return { testCaseId, testCaseName: name, ...counts, change: describeChange(counts) };
}

function describeChange({ run, base }: Pick<Compared, "run" | "base">): Compared["change"] {
  const [now, before] = [run?.passRate ?? null, base?.passRate ?? null];
  if (before === null) return now === null ? "same" : "added";
  if (now === null) return "removed";
  if (now === before) return "same";
  return now > before ? "better" : "worse";
}

export function countResults({ results }: Pick<CaseResults, "results">): TestResultCounts {
  const countOf = (wanted: AttemptResult): number =>
    results.reduce((sum, { result, total }) => (result === wanted ? sum + total : sum), 0);
  const [pass, fail, error, cancelled] = [
    countOf("pass"),
    countOf("fail"),
    countOf("error"),
    countOf("cancelled"),
  ];
  const judged = pass + fail + error;
  const passRate = judged === 0 ? null : pass / judged;
  return { pass, fail, error, cancelled, passRate, isFlaky: pass > 0 && pass < judged };
}
