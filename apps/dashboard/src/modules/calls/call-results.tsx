import { Badge, Button, Card, Group, Stack, Text, Title } from "@mantine/core";
import type { CallDetail } from "@parley/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import ClipboardCheck from "lucide-react/icons/clipboard-check";
import { Allowed } from "../../app/session/allowed.tsx";
import { useParley } from "../../app/session/session.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Facts } from "../../ui/facts.tsx";
import { ButtonLink } from "../../ui/links.tsx";
import { Problem } from "../../ui/problem.tsx";
import { toast } from "../../ui/toast.ts";

const colors = { pass: "house", fail: "red", unknown: "gray" } as const;
const words = { pass: "Passed", fail: "Failed", unknown: "Unknown" } as const;

/** What was extracted from a call, and how it was judged. */
export function CallResults({ call }: { call: CallDetail }) {
  const { analysisStatus, analysisDetail, extraction, evaluation } = call;
  if (analysisStatus === null) return <NoAnalysis agentId={call.agentId} />;
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Text c="dimmed" size="sm" role="status">
          {statusWords[analysisStatus]}
        </Text>
        <Allowed operation="reanalyzeCall">
          <Reanalyze call={call} />
        </Allowed>
      </Group>
      {analysisDetail !== null && <Problem error={analysisDetail} />}
      {extraction !== null && (
        <Card withBorder padding="md" component="section" aria-label="Extracted">
          <Title order={2} size="h5" mb="xs">
            Extracted
          </Title>
          <Facts facts={Object.entries(extraction).map(([name, value]) => [name, shown(value)])} />
        </Card>
      )}
      {evaluation !== null && (
        <Card withBorder padding="md" component="section" aria-label="Evaluation">
          <Title order={2} size="h5" mb="xs">
            Evaluation
          </Title>
          <Stack gap="sm">
            {evaluation.map(({ name, result, reason }) => (
              <div key={name}>
                <Group gap="xs">
                  <Text fw={600}>{name}</Text>
                  <Badge variant="light" color={colors[result]}>
                    {words[result]}
                  </Badge>
                </Group>
                <Text size="sm" c="dimmed">
                  {reason}
                </Text>
              </div>
            ))}
          </Stack>
        </Card>
      )}
    </Stack>
  );
}

const statusWords: Readonly<Record<NonNullable<CallDetail["analysisStatus"]>, string>> = {
  pending: "The call is being analyzed…",
  ready: "Analyzed by the language model.",
  failed: "The analysis failed.",
  deleted: "The results were deleted with the transcript.",
};

function shown(value: unknown): string {
  if (value === null) return "not mentioned";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function Reanalyze({ call: { id, analysisStatus, transcriptDeletedAt } }: { call: CallDetail }) {
  const parley = useParley();
  const queryClient = useQueryClient();
  const repeat = useMutation({
    mutationFn: async () => await parley.reanalyzeCall(id),
    onSuccess: async () => await queryClient.invalidateQueries({ queryKey: ["calls"] }),
    onError: (error) => toast.failed(error),
  });
  if (transcriptDeletedAt !== null) return null;
  return (
    <Button
      variant="default"
      size="xs"
      loading={repeat.isPending || analysisStatus === "pending"}
      onClick={() => repeat.mutate()}
    >
      Analyze again
    </Button>
  );
}

function NoAnalysis({ agentId }: { agentId: string }) {
  return (
    <Card withBorder>
      <EmptyState
        icon={ClipboardCheck}
        title="No results"
        action={
          <ButtonLink variant="default" to="/agents/$agentId" params={{ agentId }}>
            Open the agent
          </ButtonLink>
        }
      >
        The agent extracts nothing and has no criteria. Give it fields for extraction or criteria for
        evaluation, and its next calls are analyzed after their end.
      </EmptyState>
    </Card>
  );
}
