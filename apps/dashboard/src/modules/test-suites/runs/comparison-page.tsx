import { Badge, Card, SimpleGrid, Select, Stack, Table, Text } from "@mantine/core";
import type { TestRun } from "@parley/client";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useParley } from "../../../app/session/session.tsx";
import { TextLink } from "../../../ui/links.tsx";
import { Loaded } from "../../../ui/loading.tsx";
import { PageHeader } from "../../../ui/page-header.tsx";
import { describeTested, ResultBadge } from "../test-suite-words.tsx";
import { historyQuery, runQuery } from "../test-suites.queries.ts";
import { type CaseOutcome, compareRuns, type ComparedCase } from "./runs.rules.ts";

const route = getRouteApi("/shell/in/test-suites/$suiteId/compare");

/** Two runs case by case, side by side. Without a choice: the last two. */
export function ComparisonPage() {
  const { suiteId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const history = useQuery(historyQuery(useParley(), suiteId));
  return (
    <>
      <PageHeader
        title="Compare two runs"
        description={
          <TextLink to="/test-suites/$suiteId/runs" params={{ suiteId }} underline="always">
            Runs of the suite
          </TextLink>
        }
      />
      <Loaded query={history}>
        {(runs) => {
          const after = search.after ?? runs[0]?.id;
          const before = search.before ?? runs[runs.findIndex(({ id }) => id === after) + 1]?.id;
          const choose = (side: "before" | "after") => (id: string | null) =>
            void navigate({ search: { before, after, [side]: id ?? undefined }, replace: true });
          return (
            <Stack>
              <SimpleGrid cols={{ base: 1, sm: 2 }}>
                <RunChoice label="Before" runs={runs} value={before} onChoose={choose("before")} />
                <RunChoice label="After" runs={runs} value={after} onChoose={choose("after")} />
              </SimpleGrid>
              {before !== undefined && after !== undefined ? (
                <Comparison suiteId={suiteId} before={before} after={after} />
              ) : (
                <Text c="dimmed">Choose two runs.</Text>
              )}
            </Stack>
          );
        }}
      </Loaded>
    </>
  );
}

interface RunChoiceProps {
  label: string;
  runs: readonly TestRun[];
  value: string | undefined;
  onChoose: (id: string | null) => void;
}

function RunChoice({ label, runs, value, onChoose }: RunChoiceProps) {
  return (
    <Select
      label={label}
      searchable
      allowDeselect={false}
      data={runs.map((run) => ({ value: run.id, label: `${run.name} (${describeTested(run)})` }))}
      value={value ?? null}
      onChange={onChoose}
    />
  );
}

function Comparison({ suiteId, before, after }: { suiteId: string; before: string; after: string }) {
  const parley = useParley();
  const first = useQuery(runQuery(parley, suiteId, before));
  const second = useQuery(runQuery(parley, suiteId, after));
  return (
    <Loaded query={first}>
      {(one) => (
        <Loaded query={second}>{(other) => <ComparisonTable cases={compareRuns(one, other)} />}</Loaded>
      )}
    </Loaded>
  );
}

const changes = {
  better: { label: "Better", color: "house" },
  worse: { label: "Worse", color: "red" },
  same: { label: "Same", color: "gray" },
  added: { label: "Only after", color: "gray" },
  removed: { label: "Only before", color: "gray" },
  unfinished: { label: "Not finished", color: "blue" },
} as const;

function ComparisonTable({ cases }: { cases: readonly ComparedCase[] }) {
  return (
    <Card withBorder padding={0}>
      <Table aria-label="Cases of both runs" verticalSpacing="sm" horizontalSpacing="md">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Case</Table.Th>
            <Table.Th>Before</Table.Th>
            <Table.Th>After</Table.Th>
            <Table.Th visibleFrom="sm">Change</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {cases.map(({ id, name, before, after, change }) => (
            <Table.Tr key={id}>
              <Table.Td style={{ overflowWrap: "anywhere" }}>{name}</Table.Td>
              <Table.Td>
                <Outcome outcome={before} />
              </Table.Td>
              <Table.Td>
                <Outcome outcome={after} />
              </Table.Td>
              <Table.Td visibleFrom="sm">
                <Badge variant="light" color={changes[change].color}>
                  {changes[change].label}
                </Badge>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Card>
  );
}

function Outcome({ outcome }: { outcome: CaseOutcome | undefined }) {
  if (outcome === undefined) return <Text c="dimmed">–</Text>;
  const reason = outcome.attempts.find(({ result }) => result === "fail" || result === "error")?.reasoning;
  return (
    <Stack gap={4} align="flex-start">
      <ResultBadge result={outcome.result} />
      {outcome.attempts.length > 1 && (
        <Text size="xs" c="dimmed">
          {outcome.passed} of {outcome.attempts.length} attempts
        </Text>
      )}
      {reason && (
        <Text size="sm" visibleFrom="sm" style={{ overflowWrap: "anywhere" }}>
          {reason}
        </Text>
      )}
    </Stack>
  );
}
