import type { Parley, TestRun } from "@parley/client";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";

const LIVE_INTERVAL_MS = 1_000;
const LIST_INTERVAL_MS = 3_000;
/** Runs in the history above the list. */
const HISTORY_RUNS = 50;

const isLive = ({ status }: Pick<TestRun, "status">): boolean => status === "queued" || status === "running";

export function suitesQuery(parley: Parley, page: number) {
  return queryOptions({
    queryKey: ["test-suites", "list", page],
    queryFn: async ({ signal }) => await parley.listTestSuites({ page }, { signal }),
    placeholderData: keepPreviousData,
  });
}

/** The newest suites of an agent. */
export function agentSuitesQuery(parley: Parley, agentId: string) {
  return queryOptions({
    queryKey: ["test-suites", "of-agent", agentId],
    queryFn: async ({ signal }) => (await parley.listTestSuites({ agentId, pageSize: 100 }, { signal })).data,
  });
}

export function suiteQuery(parley: Parley, suiteId: string) {
  return queryOptions({
    queryKey: ["test-suites", suiteId],
    queryFn: async ({ signal }) => await parley.getTestSuite(suiteId, { signal }),
  });
}

export function casesQuery(parley: Parley, suiteId: string) {
  return queryOptions({
    queryKey: ["test-suites", suiteId, "tests"],
    queryFn: async ({ signal }) => await parley.listTestCases(suiteId, { signal }),
  });
}

export function caseQuery(parley: Parley, suiteId: string, testId: string) {
  return queryOptions({
    queryKey: ["test-suites", suiteId, "tests", testId],
    queryFn: async ({ signal }) => await parley.getTestCase(suiteId, testId, { signal }),
  });
}

/** Runs, the newest first, asked for again while one of them goes on. */
export function runsQuery(parley: Parley, suiteId: string, page: number) {
  return queryOptions({
    queryKey: ["test-suites", suiteId, "runs", "list", page],
    queryFn: async ({ signal }) => await parley.listTestRuns(suiteId, { page }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => (data?.data.some(isLive) === true ? LIST_INTERVAL_MS : false),
  });
}

/** The last runs, the newest first. */
export function historyQuery(parley: Parley, suiteId: string) {
  return queryOptions({
    queryKey: ["test-suites", suiteId, "runs", "history"],
    queryFn: async ({ signal }) =>
      (await parley.listTestRuns(suiteId, { pageSize: HISTORY_RUNS }, { signal })).data,
  });
}

/** A run with its attempts, asked for again while it goes on: the transcripts grow. */
export function runQuery(parley: Parley, suiteId: string, runId: string) {
  return queryOptions({
    queryKey: ["test-suites", suiteId, "runs", runId],
    queryFn: async ({ signal }) => await parley.getTestRun(suiteId, runId, { signal }),
    refetchInterval: ({ state: { data } }) => (data !== undefined && isLive(data) ? LIVE_INTERVAL_MS : false),
  });
}
