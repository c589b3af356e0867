import { Card, SimpleGrid, Text, Title } from "@mantine/core";
import type { CallDetail } from "@parley/client";
import { useQuery } from "@tanstack/react-query";
import { useParley } from "../../../app/session/session.tsx";
import { versionQuery } from "../versions/versions.queries.ts";
import { FlowGraph, FlowSteps } from "./flow-graph.tsx";

/** The path of a past call in the graph of the flow that it ran on. */
export function FlowPathCard({ call }: { call: CallDetail }) {
  const { agentId, configurationRevision, transcript } = call;
  const version = useQuery({
    ...versionQuery(useParley(), agentId, configurationRevision ?? 0),
    enabled: configurationRevision !== null,
  });
  const flow = version.data?.snapshot.flowDefinition ?? null;
  const steps = transcript.filter(({ type }) => type === "flow");
  return (
    <Card withBorder padding="md" component="section" aria-label="Path in the flow">
      <Title order={2} size="h5" mb="xs">
        Path in the flow
      </Title>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        {flow === null ? (
          <Text c="dimmed" size="sm">
            {version.isLoading ? "Loading the graph." : "The graph that ran is not available."}
          </Text>
        ) : (
          <FlowGraph flow={flow} path={steps.flatMap(({ nodeId }) => nodeId ?? [])} />
        )}
        <FlowSteps steps={steps} />
      </SimpleGrid>
    </Card>
  );
}
