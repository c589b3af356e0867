import { Badge, Button, Card, Group, Stack, Text } from "@mantine/core";
import type { Diagnosis } from "@parley/contract";
import { useMutation } from "@tanstack/react-query";
import Stethoscope from "lucide-react/icons/stethoscope";
import { EmptyState } from "../../ui/empty-state.tsx";
import { LoadingLines } from "../../ui/loading.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Problem } from "../../ui/problem.tsx";
import { diagnose } from "./operator.queries.ts";

type Result = Diagnosis["results"][number];

const colors: Readonly<Record<Result["verdict"], string>> = {
  ok: "house",
  warning: "yellow",
  failed: "red",
  skipped: "gray",
};
/** What needs the operator comes first. */
const order: readonly Result["verdict"][] = ["failed", "warning", "ok", "skipped"];

/** The checks of `npm run doctor`, from inside the node that answers. */
export function ChecksPage() {
  const examination = useMutation({ mutationFn: diagnose });
  const { data, error, isPending } = examination;
  return (
    <>
      <PageHeader
        title="Checks"
        description="What npm run doctor finds, from inside the node that answers."
        actions={
          data !== undefined && (
            <Button loading={isPending} onClick={() => examination.mutate()}>
              Check again
            </Button>
          )
        }
      />
      {isPending && <LoadingLines lines={8} label="Checking" />}
      {error !== null && <Problem error={error} onRetry={() => examination.mutate()} />}
      {data === undefined && !isPending && error === null && (
        <Card withBorder>
          <EmptyState
            icon={Stethoscope}
            title="Does this node work?"
            action={<Button onClick={() => examination.mutate()}>Run the checks</Button>}
          >
            The checks take some seconds, or up to a minute if a provider or trunk does not answer. Calls go
            on meanwhile.
          </EmptyState>
        </Card>
      )}
      {data !== undefined && !isPending && <Results diagnosis={data} />}
    </>
  );
}

function Results({ diagnosis: { isOk, results } }: { diagnosis: Diagnosis }) {
  const sorted = order.flatMap((verdict) => results.filter((result) => result.verdict === verdict));
  return (
    <Stack>
      <Text role="status" fw={600}>
        {isOk ? "Calls can work." : "Calls do not work until what failed is fixed."}
      </Text>
      <Card withBorder padding="md">
        <Stack gap="sm">
          {sorted.map(({ check, verdict, message, remedy }, index) => (
            <Group key={index} align="flex-start" wrap="nowrap">
              <Badge variant="light" color={colors[verdict]} w={84} flex="none">
                {verdict}
              </Badge>
              <div>
                <Text size="sm">
                  <strong>{check}</strong> {message}
                </Text>
                {remedy !== undefined && (
                  <Text size="sm" c="dimmed">
                    {remedy}
                  </Text>
                )}
              </div>
            </Group>
          ))}
        </Stack>
      </Card>
    </Stack>
  );
}
