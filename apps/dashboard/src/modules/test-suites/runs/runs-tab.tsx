import { Group, Text } from "@mantine/core";
import type { TestRun } from "@parley/client";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import GitCompare from "lucide-react/icons/git-compare";
import History from "lucide-react/icons/history";
import { useParley } from "../../../app/session/session.tsx";
import { type Column, DataTable } from "../../../ui/data-table.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { formatDateTime } from "../../../ui/format.ts";
import { ButtonLink, TextLink } from "../../../ui/links.tsx";
import { ChartCard } from "../../overview/chart-card.tsx";
import { describeTested, modeLabels, RunBadge } from "../test-suite-words.tsx";
import { historyQuery, runsQuery } from "../test-suites.queries.ts";
import { ratesByRevision } from "./runs.rules.ts";
import "../../overview/overview.css";

const route = getRouteApi("/shell/in/test-suites/$suiteId/runs");

const columns: readonly Column<TestRun>[] = [
  {
    header: "Run",
    cell: ({ id, testSuiteId: suiteId, name }) => (
      <TextLink to="/test-suites/$suiteId/runs/$runId" params={{ suiteId, runId: id }} fw={600}>
        {name}
      </TextLink>
    ),
  },
  { header: "Result", cell: (run) => <RunBadge run={run} /> },
  {
    header: "Passed",
    cell: ({ passedTests, totalTests }) => `${passedTests} of ${totalTests}`,
    align: "right",
  },
  { header: "Tested", cell: describeTested, visibleFrom: "sm" },
  { header: "Test type", cell: ({ mode }) => modeLabels[mode], visibleFrom: "md" },
  { header: "Started", cell: ({ createdAt }) => formatDateTime(createdAt), visibleFrom: "md" },
];

/** The runs of a suite, and how each revision of the agent did. */
export function RunsTab() {
  const { suiteId } = route.useParams();
  const { page = 1 } = route.useSearch();
  const navigate = route.useNavigate();
  const runs = useQuery(runsQuery(useParley(), suiteId, page));
  return (
    <>
      {runs.data !== undefined && runs.data.total > 1 && (
        <Group justify="flex-end" mb="sm">
          <ButtonLink
            variant="default"
            to="/test-suites/$suiteId/compare"
            params={{ suiteId }}
            leftSection={<GitCompare size={16} aria-hidden />}
          >
            Compare two runs
          </ButtonLink>
        </Group>
      )}
      <Rates suiteId={suiteId} />
      <DataTable
        label="Runs"
        query={runs}
        columns={columns}
        keyOf={({ id }) => id}
        onPage={(next) => void navigate({ search: { page: next } })}
        empty={<NoRuns />}
      />
    </>
  );
}

/** Nothing until a run is completed. */
function Rates({ suiteId }: { suiteId: string }) {
  const { data = [] } = useQuery(historyQuery(useParley(), suiteId));
  const rates = ratesByRevision(data);
  if (rates.length === 0) return null;
  return (
    <div style={{ marginBottom: "var(--mantine-spacing-md)" }}>
      <ChartCard
        title="Passed cases by revision"
        note={`last ${data.length === 1 ? "run" : `${data.length} runs`}`}
      >
        <ul className="bars">
          {rates.map(({ revision, cases, passed, runs }) => {
            const percent = cases === 0 ? 0 : Math.round((100 * passed) / cases);
            return (
              <li key={revision ?? "unknown"}>
                <Text size="sm">
                  {revision === undefined ? "Unknown" : `Revision ${revision}`}
                  <Text span size="xs" c="dimmed">
                    {" "}
                    {runs === 1 ? "1 run" : `${runs} runs`}
                  </Text>
                </Text>
                <span className="bar-track" aria-hidden>
                  <span
                    className={percent === 100 ? "ordinary" : "unusual"}
                    style={{ width: `${percent}%` }}
                  />
                </span>
                <Text size="sm" ta="right" className="figures">
                  {percent} %
                </Text>
              </li>
            );
          })}
        </ul>
      </ChartCard>
    </div>
  );
}

function NoRuns() {
  return (
    <EmptyState icon={History} title="No runs yet">
      “Run the suite” above has each case&apos;s conversations with the agent, and says which passed and why.
    </EmptyState>
  );
}
