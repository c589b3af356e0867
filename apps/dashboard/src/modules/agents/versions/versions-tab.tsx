import { Badge, Group, Stack, Text, Title } from "@mantine/core";
import type { Agent, AgentVersion } from "@parley/client";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import History from "lucide-react/icons/history";
import { useParley } from "../../../app/session/session.tsx";
import { type Column, DataTable } from "../../../ui/data-table.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { formatDateTime } from "../../../ui/format.ts";
import { TextLink } from "../../../ui/links.tsx";
import { Loaded } from "../../../ui/loading.tsx";
import { agentQuery } from "../agents.queries.ts";
import { PublishCard } from "./publish-card.tsx";
import { describeActor, describeVersion } from "./version-words.ts";
import { draftRevisionQuery, versionsQuery } from "./versions.queries.ts";

const route = getRouteApi("/shell/in/agents/$agentId/versions");

/** What callers reach, and every earlier state of the agent. */
export function VersionsTab() {
  const { agentId } = route.useParams();
  const agent = useQuery(agentQuery(useParley(), agentId));
  return (
    <Loaded query={agent}>
      {(loaded) => (
        <Stack gap="lg">
          <PublishCard agent={loaded} />
          <section aria-labelledby="history-title">
            <Title order={2} size="h4" mb="sm" id="history-title">
              History
            </Title>
            <VersionTable agent={loaded} />
          </section>
        </Stack>
      )}
    </Loaded>
  );
}

function VersionTable({ agent }: { agent: Agent }) {
  const parley = useParley();
  const { page = 1 } = route.useSearch();
  const navigate = route.useNavigate();
  const versions = useQuery(versionsQuery(parley, agent.id, page));
  const draft = useQuery(draftRevisionQuery(parley, agent.id)).data;
  const columns: readonly Column<AgentVersion>[] = [
    {
      header: "Version",
      cell: (version) => <VersionCell agent={agent} version={version} isDraft={version.revision === draft} />,
    },
    { header: "By", cell: describeActor, visibleFrom: "sm" },
    { header: "When", cell: ({ createdAt }) => formatDateTime(createdAt), visibleFrom: "sm" },
  ];
  return (
    <DataTable
      label="Versions"
      query={versions}
      columns={columns}
      keyOf={({ id }) => id}
      onPage={(next) => void navigate({ search: { page: next } })}
      empty={
        <EmptyState icon={History} title="No versions">
          Every save of the agent is kept here.
        </EmptyState>
      }
    />
  );
}

interface VersionCellProps {
  agent: Agent;
  version: AgentVersion;
  isDraft: boolean;
}

function VersionCell({ agent, version, isDraft }: VersionCellProps) {
  const { revision, createdAt } = version;
  const isLive = agent.publishMode === "auto" ? isDraft : revision === agent.publishedRevision;
  return (
    <Stack gap={4} align="flex-start">
      <Group gap="xs">
        <TextLink
          to="/agents/$agentId/versions/$revision"
          params={{ agentId: agent.id, revision: String(revision) }}
          fw={600}
        >
          Revision {revision}
        </TextLink>
        {isLive && <Badge variant="light">live</Badge>}
        {isDraft && !isLive && (
          <Badge variant="light" color="gray">
            draft
          </Badge>
        )}
      </Group>
      <Text size="sm" c="dimmed">
        {describeVersion(version)}
      </Text>
      <Text size="xs" c="dimmed" hiddenFrom="sm">
        {describeActor(version)} · {formatDateTime(createdAt)}
      </Text>
    </Stack>
  );
}
