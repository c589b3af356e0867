import { Button, Grid, Group, Progress, SimpleGrid, Stack, Text } from "@mantine/core";
import type { TestRunDetail } from "@parley/client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import GitCompare from "lucide-react/icons/git-compare";
import { useState } from "react";
import { Allowed } from "../../../app/session/allowed.tsx";
import { useParley } from "../../../app/session/session.tsx";
import { ConfirmDialog } from "../../../ui/confirm-dialog.tsx";
import { Figure } from "../../../ui/figure.tsx";
import { formatDateTime } from "../../../ui/format.ts";
import { ButtonLink, TextLink } from "../../../ui/links.tsx";
import { Loaded } from "../../../ui/loading.tsx";
import { PageHeader } from "../../../ui/page-header.tsx";
import { toast } from "../../../ui/toast.ts";
import { describeTested, modeLabels, ResultBadge, RunBadge } from "../test-suite-words.tsx";
import { runQuery } from "../test-suites.queries.ts";
import { AttemptView } from "./attempt-view.tsx";
import { type CaseOutcome, firstOfInterest, outcomesOf } from "./runs.rules.ts";
import "./runs.css";

const route = getRouteApi("/shell/in/test-suites/$suiteId/runs/$runId");

/** A run while it goes on and after: its cases, and the conversation of each attempt. */
export function RunPage() {
  const { suiteId, runId } = route.useParams();
  const run = useQuery(runQuery(useParley(), suiteId, runId));
  return (
    <Loaded query={run} heading="Run">
      {(loaded) => <RunView run={loaded} />}
    </Loaded>
  );
}

function RunView({ run }: { run: TestRunDetail }) {
  const [chosen, setChosen] = useState<string>();
  const outcomes = outcomesOf(run);
  const attempt = run.attempts.find(({ id }) => id === chosen) ?? firstOfInterest(run.attempts);
  return (
    <>
      <PageHeader
        title={run.name}
        beside={<RunBadge run={run} />}
        description={
          <>
            <TextLink
              to="/test-suites/$suiteId/runs"
              params={{ suiteId: run.testSuiteId }}
              underline="always"
            >
              Runs of the suite
            </TextLink>{" "}
            · {describeTested(run)} · {modeLabels[run.mode]} · {formatDateTime(run.createdAt)}
          </>
        }
        actions={<Actions run={run} />}
      />
      <RunFigures run={run} />
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 4 }}>
          <CaseList outcomes={outcomes} chosen={attempt?.id} onChoose={setChosen} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 8 }}>
          {attempt !== undefined && <AttemptView key={attempt.id} attempt={attempt} />}
        </Grid.Col>
      </Grid>
    </>
  );
}

function Actions({ run: { id, testSuiteId: suiteId, status } }: { run: TestRunDetail }) {
  const parley = useParley();
  const queryClient = useQueryClient();
  const [isAsked, setAsked] = useState(false);
  const cancel = async (): Promise<void> => {
    await parley.cancelTestRun(suiteId, id);
    await queryClient.invalidateQueries({ queryKey: ["test-suites", suiteId, "runs"] });
    toast.done("The run is cancelled.");
  };
  const isLive = status === "queued" || status === "running";
  return (
    <>
      {!isLive && (
        <ButtonLink
          variant="default"
          to="/test-suites/$suiteId/compare"
          params={{ suiteId }}
          search={{ after: id }}
          leftSection={<GitCompare size={16} aria-hidden />}
        >
          Compare
        </ButtonLink>
      )}
      {isLive && (
        <Allowed operation="cancelTestRun">
          <Button variant="default" onClick={() => setAsked(true)}>
            Cancel the run
          </Button>
        </Allowed>
      )}
      <ConfirmDialog
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        title="Cancel this run?"
        confirm="Cancel the run"
        dismiss="Go on"
        onConfirm={cancel}
      >
        Conversations in progress end, and calls are hung up. Results that are there stay.
      </ConfirmDialog>
    </>
  );
}

function RunFigures({ run }: { run: TestRunDetail }) {
  const { passedTests, failedTests, totalTests, completedAttempts, totalAttempts } = run;
  return (
    <Stack gap="sm" mb="md">
      {completedAttempts < totalAttempts && run.status !== "cancelled" && (
        <Progress
          value={(100 * completedAttempts) / totalAttempts}
          aria-label="Attempts with a result"
          size="sm"
        />
      )}
      <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm">
        <Figure label="Cases" value={totalTests} />
        <Figure label="Passed" value={passedTests} />
        <Figure label="Failed" value={failedTests} />
        <Figure label="Attempts done" value={`${completedAttempts} / ${totalAttempts}`} />
      </SimpleGrid>
    </Stack>
  );
}

interface CaseListProps {
  outcomes: readonly CaseOutcome[];
  /** Id of the attempt that is shown. */
  chosen: string | undefined;
  onChoose: (attemptId: string) => void;
}

function CaseList({ outcomes, chosen, onChoose }: CaseListProps) {
  return (
    <ol className="run-cases" aria-label="Cases of the run">
      {outcomes.map(({ id, name, attempts, passed, result }) => (
        <li key={id}>
          <Group justify="space-between" wrap="nowrap" gap="xs">
            <Text fw={600} style={{ overflowWrap: "anywhere" }}>
              {name}
            </Text>
            <ResultBadge result={result} isRunning={attempts.some(({ startedAt }) => startedAt !== null)} />
          </Group>
          {attempts.length > 1 && result !== null && passed > 0 && passed < attempts.length && (
            <Text size="xs" c="dimmed">
              Unsteady: {passed} of {attempts.length} attempts passed.
            </Text>
          )}
          <Group gap={6} mt={6}>
            {attempts.map((attempt) => (
              <Button
                key={attempt.id}
                size="compact-sm"
                variant={attempt.id === chosen ? "filled" : "default"}
                aria-pressed={attempt.id === chosen}
                onClick={() => onChoose(attempt.id)}
              >
                <span className={`attempt-mark ${attempt.result ?? "open"}`} aria-hidden />
                Attempt {attempt.attemptNumber}
              </Button>
            ))}
          </Group>
        </li>
      ))}
    </ol>
  );
}
