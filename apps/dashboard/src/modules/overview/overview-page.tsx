import { Card, Group, SegmentedControl, Select, SimpleGrid, Stack } from "@mantine/core";
import type { CallDurations } from "@parley/client";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import ChartColumn from "lucide-react/icons/chart-column";
import { useParley } from "../../app/session/session.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Figure } from "../../ui/figure.tsx";
import { ButtonLink, TextLink } from "../../ui/links.tsx";
import { Loaded, LoadingLines } from "../../ui/loading.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { formatSeconds } from "../calls/call-words.ts";
import { modelsQuery } from "../agents/agents.queries.ts";
import { agentNamesQuery } from "../calls/calls.queries.ts";
import { ModelHint } from "../web-calls/model-hint.tsx";
import { EndReasons } from "./end-reasons-card.tsx";
import { CallsChart } from "./calls-chart.tsx";
import { FirstSteps, useFirstSteps } from "./first-steps.tsx";
import { LatencyCard } from "./latency-card.tsx";
import { activeCountQuery, statisticsQuery } from "./overview.queries.ts";
import { periodLabels, periodNames, type Totals, totalsOf } from "./overview.rules.ts";
import "./overview.css";

const route = getRouteApi("/shell/in/overview");
const DEFAULT_PERIOD = "30d";

export function OverviewPage() {
  const { period = DEFAULT_PERIOD, agentId } = route.useSearch();
  const parley = useParley();
  const statistics = useQuery(statisticsQuery(parley, period, agentId));
  // What is at the top is known before anything below is shown, so that nothing moves.
  const models = useQuery(modelsQuery(parley));
  const steps = useFirstSteps();
  const header = (
    <PageHeader title="Overview" description="How your agents are called, and how well they answer." />
  );
  if (steps === undefined || models.isLoading || statistics.isLoading)
    return (
      <>
        {header}
        <LoadingLines lines={8} />
      </>
    );
  return (
    <>
      {header}
      <ModelHint parley={parley} llmModel="service-standard" />
      <FirstSteps steps={steps} />
      <Selection />
      <Loaded query={statistics}>
        {({ days, durations, endReasons, latency }) => {
          const totals = totalsOf(days);
          return (
            <Stack gap="md">
              <Figures totals={totals} durations={durations} agentId={agentId} />
              {totals.calls === 0 ? (
                <NoCalls />
              ) : (
                <>
                  <CallsChart days={days} />
                  <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
                    <EndReasons endReasons={endReasons} agentId={agentId} />
                    <LatencyCard latency={latency} />
                  </SimpleGrid>
                </>
              )}
            </Stack>
          );
        }}
      </Loaded>
    </>
  );
}

interface FiguresProps {
  totals: Totals;
  durations: CallDurations;
  agentId: string | undefined;
}

function Figures({ totals, durations, agentId }: FiguresProps) {
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} spacing="md">
      <ActiveFigure agentId={agentId} />
      <Figure label="Calls" value={totals.calls.toLocaleString("en")} />
      <Figure
        label="Answered"
        value={totals.answerRate === undefined ? "–" : `${Math.round(100 * totals.answerRate)} %`}
        note={`${totals.answered.toLocaleString("en")} calls`}
      />
      <Durations durations={durations} />
      <Figure
        label="Billable minutes"
        value={Math.ceil(totals.billableMinutes).toLocaleString("en")}
        note="from the answer to the end"
      />
    </SimpleGrid>
  );
}

function Selection() {
  const { period = DEFAULT_PERIOD, agentId } = route.useSearch();
  const navigate = route.useNavigate();
  const { data: agents } = useQuery(agentNamesQuery(useParley()));
  return (
    <Group mb="md" gap="sm">
      <SegmentedControl
        aria-label="Period"
        transitionDuration={0}
        data={periodNames.map((value) => ({ value, label: periodLabels[value] }))}
        value={period}
        onChange={(chosen) => {
          const next = periodNames.find((name) => name === chosen);
          void navigate({ search: (now) => ({ ...now, period: next }), replace: true });
        }}
      />
      <Select
        aria-label="Agent"
        placeholder="All agents"
        clearable
        data={[...(agents ?? [])].map(([value, label]) => ({ value, label }))}
        value={agentId ?? null}
        onChange={(chosen) =>
          void navigate({ search: (now) => ({ ...now, agentId: chosen ?? undefined }), replace: true })
        }
      />
    </Group>
  );
}

function ActiveFigure({ agentId }: { agentId: string | undefined }) {
  const { data } = useQuery(activeCountQuery(useParley(), agentId));
  return (
    <Figure
      label="Active now"
      value={data?.activeCalls ?? "–"}
      note={
        <TextLink to="/calls" search={{ agentId }} size="xs">
          Show calls
        </TextLink>
      }
    />
  );
}

function Durations({ durations: { p50Seconds, p95Seconds } }: { durations: CallDurations }) {
  return (
    <Figure
      label="Typical duration"
      value={p50Seconds === null ? "–" : formatSeconds(p50Seconds)}
      note={p95Seconds === null ? undefined : `95 % within ${formatSeconds(p95Seconds)}`}
    />
  );
}

function NoCalls() {
  return (
    <Card withBorder>
      <EmptyState
        icon={ChartColumn}
        title="No calls in this period"
        action={<ButtonLink to="/try">Talk to an agent</ButtonLink>}
      >
        Calls per day, how they end and how fast the agents answer appear here.
      </EmptyState>
    </Card>
  );
}
