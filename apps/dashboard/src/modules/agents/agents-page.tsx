import { Badge, Button, Group, NativeSelect, Text } from "@mantine/core";
import type { Agent } from "@parley/client";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import Bot from "lucide-react/icons/bot";
import Folder from "lucide-react/icons/folder";
import Plus from "lucide-react/icons/plus";
import Upload from "lucide-react/icons/upload";
import { lazy, Suspense, useState } from "react";
import { Allowed } from "../../app/session/allowed.tsx";
import { useParley } from "../../app/session/session.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { formatDateTime } from "../../ui/format.ts";
import { ButtonLink, TextLink } from "../../ui/links.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { SearchField } from "../../ui/search-field.tsx";
import { agentsQuery, foldersQuery } from "./agents.queries.ts";
import { agentStatuses } from "./agents.routes.ts";
import { UnpublishedBadge } from "./versions/unpublished-badge.tsx";

const route = getRouteApi("/shell/in/agents");

const FoldersDialog = lazy(async () => ({ default: (await import("./folders-dialog.tsx")).FoldersDialog }));
const ImportDialog = lazy(async () => ({ default: (await import("./import-dialog.tsx")).ImportDialog }));

const columns: readonly Column<Agent>[] = [
  {
    header: "Name",
    cell: ({ id, name }) => (
      <TextLink to="/agents/$agentId" params={{ agentId: id }} fw={600}>
        {name}
      </TextLink>
    ),
  },
  {
    header: "Status",
    cell: (agent) => (
      <Group gap="xs">
        <Badge variant="light" color={agent.status === "active" ? "house" : "gray"}>
          {agent.status}
        </Badge>
        <UnpublishedBadge agent={agent} />
      </Group>
    ),
  },
  {
    header: "Phone numbers",
    cell: ({ phoneNumbers }) =>
      phoneNumbers.map(({ e164 }) => e164).join(", ") || <Text c="dimmed">none</Text>,
    visibleFrom: "sm",
  },
  { header: "Folder", cell: ({ folder }) => folder?.name ?? "", visibleFrom: "md" },
  { header: "Changed", cell: ({ updatedAt }) => formatDateTime(updatedAt), visibleFrom: "sm" },
];

export function AgentsPage() {
  const parley = useParley();
  const { page = 1, ...filter } = route.useSearch();
  const navigate = route.useNavigate();
  const agents = useQuery(agentsQuery(parley, { ...filter, page }));
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const setFilter = (change: Partial<typeof filter>): void => {
    // A filter begins at the first page, and typing it does not fill the history.
    void navigate({ search: (now) => ({ ...now, ...change, page: undefined }), replace: true });
  };
  return (
    <>
      <PageHeader
        title="Agents"
        description="Each agent is one assistant: what it knows, how it speaks, what it may do."
        actions={
          <Allowed operation="createAgent">
            <ListActions />
            <ButtonLink to="/agents/new" leftSection={<Plus size={16} aria-hidden />}>
              New agent
            </ButtonLink>
          </Allowed>
        }
      />
      <Group mb="md" gap="sm">
        <SearchField
          label="Search agents by name"
          value={filter.search}
          onChange={(search) => setFilter({ search })}
        />
        <FolderFilter value={filter.folderId} onChange={(folderId) => setFilter({ folderId })} />
        <NativeSelect
          aria-label="Status"
          data={[{ value: "", label: "Any status" }, ...agentStatuses]}
          value={filter.status ?? ""}
          onChange={({ currentTarget }) =>
            setFilter({ status: agentStatuses.find((status) => status === currentTarget.value) })
          }
        />
      </Group>
      <DataTable
        label="Agents"
        query={agents}
        columns={columns}
        keyOf={({ id }) => id}
        onPage={(next) => void navigate({ search: (now) => ({ ...now, page: next }) })}
        empty={isFiltered ? <NothingFound /> : <NoAgents />}
      />
    </>
  );
}

function ListActions() {
  const [shown, setShown] = useState<"folders" | "import">();
  const close = (): void => setShown(undefined);
  return (
    <>
      <Button
        variant="default"
        leftSection={<Folder size={16} aria-hidden />}
        onClick={() => setShown("folders")}
      >
        Folders
      </Button>
      <Button
        variant="default"
        leftSection={<Upload size={16} aria-hidden />}
        onClick={() => setShown("import")}
      >
        Import
      </Button>
      <Suspense>
        {shown === "folders" && <FoldersDialog onClose={close} />}
        {shown === "import" && <ImportDialog onClose={close} />}
      </Suspense>
    </>
  );
}

function NothingFound() {
  return (
    <EmptyState icon={Bot} title="No agent matches">
      Change the search or the filters above.
    </EmptyState>
  );
}

function NoAgents() {
  return (
    <EmptyState
      icon={Bot}
      title="No agents yet"
      action={
        <Allowed operation="createAgent">
          <Group justify="center">
            <ButtonLink to="/agents/new">Create an agent</ButtonLink>
            <ButtonLink variant="default" to="/try">
              Talk to a sample agent
            </ButtonLink>
          </Group>
        </Allowed>
      }
    >
      An agent answers and places calls. Begin with a sample, or with one of your own.
    </EmptyState>
  );
}

interface FolderFilterProps {
  value: string | undefined;
  onChange: (folderId: string | undefined) => void;
}

function FolderFilter({ value, onChange }: FolderFilterProps) {
  const folders = useQuery(foldersQuery(useParley()));
  if (folders.data === undefined || folders.data.length === 0) return null;
  return (
    <NativeSelect
      aria-label="Folder"
      data={[
        { value: "", label: "Any folder" },
        ...folders.data.map(({ id, name }) => ({ value: id, label: name })),
      ]}
      value={value ?? ""}
      onChange={(event) => onChange(event.currentTarget.value || undefined)}
    />
  );
}
