import { Badge, Card, Progress, Stack, Table, Text, Title } from "@mantine/core";
import type { OperatedNode } from "@parley/contract";
import { useQuery } from "@tanstack/react-query";
import { Facts } from "../../ui/facts.tsx";
import { formatDateTime } from "../../ui/format.ts";
import { Loaded } from "../../ui/loading.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { installationQuery, nodesQuery } from "./operator.queries.ts";

const states: Readonly<Record<OperatedNode["state"], { color: string; meaning: string }>> = {
  ready: { color: "house", meaning: "takes calls" },
  full: { color: "yellow", meaning: "has no free place" },
  starting: { color: "blue", meaning: "is not ready yet" },
  draining: { color: "gray", meaning: "ends, and finishes its calls" },
  silent: { color: "red", meaning: "sends no heartbeat" },
};

/** The nodes of the installation with their load, and the versions of its programs. */
export function NodesPage() {
  const nodes = useQuery(nodesQuery);
  const installation = useQuery(installationQuery);
  return (
    <>
      <PageHeader title="Nodes" description="The servers that carry calls, as of their last heartbeats." />
      <Stack gap="lg">
        <Loaded query={nodes}>{(all) => <NodesTable nodes={all} />}</Loaded>
        <Card withBorder padding="lg" component="section" aria-label="Versions">
          <Title order={2} size="h4" mb="sm">
            Versions
          </Title>
          <Loaded query={installation}>
            {({ version, nodejsVersion, postgresVersion, isDatabaseEmbedded }) => (
              <Facts
                facts={[
                  ["Parley", version],
                  ["Node.js", nodejsVersion],
                  ["PostgreSQL", `${postgresVersion}${isDatabaseEmbedded ? ", started by Parley" : ""}`],
                ]}
              />
            )}
          </Loaded>
        </Card>
      </Stack>
    </>
  );
}

function NodesTable({ nodes }: { nodes: readonly OperatedNode[] }) {
  return (
    <Card withBorder padding={0}>
      <Table aria-label="Nodes" verticalSpacing="sm" horizontalSpacing="md">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Node</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th>Calls</Table.Th>
            <Table.Th visibleFrom="sm">Processors</Table.Th>
            <Table.Th visibleFrom="md">Version</Table.Th>
            <Table.Th visibleFrom="md">Started</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {nodes.map((node) => (
            <NodeRow key={node.id} node={node} />
          ))}
        </Table.Tbody>
      </Table>
    </Card>
  );
}

function NodeRow({ node }: { node: OperatedNode }) {
  const { id, state, activeCalls, freePlaces, processorLoad, version, httpAddress, sipAddress } = node;
  const places = activeCalls + freePlaces;
  const { color, meaning } = states[state];
  return (
    <Table.Tr>
      <Table.Td>
        <Text size="sm" fw={600}>
          {id.slice(0, 8)}
        </Text>
        <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
          {httpAddress}, SIP {sipAddress}
        </Text>
      </Table.Td>
      <Table.Td>
        <Badge variant="light" color={color} miw="max-content">
          {state}
        </Badge>
        <Text size="xs" c="dimmed">
          {meaning}
        </Text>
      </Table.Td>
      <Table.Td>
        <Text size="sm">
          {activeCalls} of {places}
        </Text>
        <Progress
          value={places === 0 ? 0 : (100 * activeCalls) / places}
          size="sm"
          w={80}
          aria-label={`Places in use on ${id.slice(0, 8)}`}
        />
      </Table.Td>
      <Table.Td visibleFrom="sm">
        {processorLoad === null ? "unknown" : `${Math.round(100 * processorLoad)} %`}
      </Table.Td>
      <Table.Td visibleFrom="md">{version ?? "unknown"}</Table.Td>
      <Table.Td visibleFrom="md">{formatDateTime(node.startedAt)}</Table.Td>
    </Table.Tr>
  );
}
