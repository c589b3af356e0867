import type { OperatorAuditLogEntry } from "@parley/contract";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import ScrollText from "lucide-react/icons/scroll-text";
import { ActionName } from "../../ui/action-name.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { formatDateTime } from "../../ui/format.ts";
import { TextLink } from "../../ui/links.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { operatorLogQuery } from "./operator.queries.ts";

const route = getRouteApi("/shell/in/operator/audit-log");

const columns: readonly Column<OperatorAuditLogEntry>[] = [
  { header: "Time", cell: ({ createdAt }) => formatDateTime(createdAt) },
  { header: "Who", cell: ({ actor }) => actor.name },
  {
    header: "Action",
    cell: ({ action }) => <ActionName name={action} />,
  },
  {
    header: "Organization",
    cell: ({ organizationId }) =>
      organizationId !== null && (
        <TextLink to="/operator/organizations/$organizationId" params={{ organizationId }}>
          {organizationId.slice(0, 8)}
        </TextLink>
      ),
    visibleFrom: "sm",
  },
  { header: "On", cell: ({ targetId }) => targetId ?? "", visibleFrom: "md" },
  { header: "From", cell: ({ ipAddress }) => ipAddress, visibleFrom: "lg" },
];

/** What operators did, in all organizations. */
export function OperatorLogPage() {
  const { page = 1 } = route.useSearch();
  const navigate = route.useNavigate();
  const entries = useQuery(operatorLogQuery(page));
  return (
    <>
      <PageHeader
        title="Operators’ audit log"
        description="What operators changed, newest first. An organization sees in its own log what concerns it."
      />
      <DataTable
        label="Operators’ audit log"
        query={entries}
        columns={columns}
        keyOf={({ id }) => id}
        onPage={(next) => void navigate({ search: { page: next } })}
        empty={
          <EmptyState icon={ScrollText} title="Nothing yet">
            Each change that an operator makes appears here: billing, limits, released numbers, invitations.
          </EmptyState>
        }
      />
    </>
  );
}
