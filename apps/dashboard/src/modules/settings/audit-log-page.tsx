import { Badge, Group, Stack, Text } from "@mantine/core";
import type { AuditLogEntry } from "@parley/client";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import ScrollText from "lucide-react/icons/scroll-text";
import { useMay } from "../../app/session/allowed.tsx";
import { useParley } from "../../app/session/session.tsx";
import { ActionName } from "../../ui/action-name.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { formatDateTime } from "../../ui/format.ts";
import { SearchField } from "../../ui/search-field.tsx";
import { SettingsHeader } from "./settings-header.tsx";
import { auditLogQuery } from "./settings.queries.ts";

const route = getRouteApi("/shell/in/settings/audit-log");

const columns: readonly Column<AuditLogEntry>[] = [
  { header: "Time", cell: ({ createdAt }) => formatDateTime(createdAt) },
  {
    header: "Who",
    cell: ({ actor }) => (
      <Group gap="xs">
        {actor.name}
        {actor.type !== "user" && (
          <Badge size="xs" variant="light" color="gray">
            {actor.type === "api_key" ? "key" : "operator"}
          </Badge>
        )}
      </Group>
    ),
  },
  {
    header: "Action",
    cell: ({ action, detail }) => (
      <Stack gap={0}>
        <ActionName name={action} />
        {detail !== null && (
          <Text size="xs" c="dimmed" maw={360} style={{ overflowWrap: "anywhere" }}>
            {detail}
          </Text>
        )}
      </Stack>
    ),
  },
  { header: "On", cell: ({ targetId }) => targetId ?? "", visibleFrom: "md" },
  { header: "From", cell: ({ ipAddress }) => ipAddress, visibleFrom: "lg" },
];

/** What people and keys changed. */
export function AuditLogPage() {
  if (useMay()("listAuditLog")) return <AuditLog />;
  return <SettingsHeader title="Audit log" description="Only owners and admins see the audit log." />;
}

function AuditLog() {
  const { page = 1, action } = route.useSearch();
  const navigate = route.useNavigate();
  const entries = useQuery(auditLogQuery(useParley(), { page, ...(action !== undefined && { action }) }));
  return (
    <>
      <SettingsHeader
        title="Audit log"
        description="What people, API keys and the operator changed, newest first."
      />
      <Group mb="md">
        <SearchField
          label="Action, such as updateAgent"
          value={action}
          onChange={(text) => void navigate({ search: { action: text }, replace: true })}
        />
      </Group>
      <DataTable
        label="Audit log"
        query={entries}
        columns={columns}
        keyOf={({ id }) => id}
        onPage={(next) => void navigate({ search: (now) => ({ ...now, page: next }) })}
        empty={
          <EmptyState icon={ScrollText} title={action === undefined ? "Nothing yet" : "No such action"}>
            {action === undefined
              ? "Each change that a person or a key makes appears here."
              : "Actions have the names of the operations in the API reference, such as updateAgent."}
          </EmptyState>
        }
      />
    </>
  );
}
