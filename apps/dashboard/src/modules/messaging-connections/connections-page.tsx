import type { MessagingConnection } from "@parley/client";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import MessageSquare from "lucide-react/icons/message-square";
import Plus from "lucide-react/icons/plus";
import { useParley } from "../../app/session/session.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Allowed } from "../../app/session/allowed.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { formatDateTime } from "../../ui/format.ts";
import { ButtonLink, TextLink } from "../../ui/links.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { connectionsQuery } from "./messaging-connections.queries.ts";

const route = getRouteApi("/shell/in/messaging-connections");

const columns: readonly Column<MessagingConnection>[] = [
  {
    header: "Name",
    cell: ({ id, friendlyName }) => (
      <TextLink to="/messaging-connections/$connectionId" params={{ connectionId: id }} fw={600}>
        {friendlyName}
      </TextLink>
    ),
  },
  { header: "Account", cell: ({ accountSid }) => accountSid, visibleFrom: "md" },
  { header: "Changed", cell: ({ updatedAt }) => formatDateTime(updatedAt), visibleFrom: "sm" },
];

/** The accounts at messaging providers. */
export function ConnectionsPage() {
  const { page = 1 } = route.useSearch();
  const navigate = route.useNavigate();
  const connections = useQuery(connectionsQuery(useParley(), page));
  return (
    <>
      <PageHeader
        title="Messaging connections"
        description="An account at Twilio, through which agents send and receive text messages."
        actions={
          <Allowed operation="createMessagingConnection">
            <ButtonLink to="/messaging-connections/new" leftSection={<Plus size={16} aria-hidden />}>
              New connection
            </ButtonLink>
          </Allowed>
        }
      />
      <DataTable
        label="Messaging connections"
        query={connections}
        columns={columns}
        keyOf={({ id }) => id}
        onPage={(next) => void navigate({ search: { page: next } })}
        empty={
          <EmptyState
            icon={MessageSquare}
            title="No connections yet"
            action={
              <Allowed operation="createMessagingConnection">
                <ButtonLink to="/messaging-connections/new">Connect Twilio</ButtonLink>
              </Allowed>
            }
          >
            With a connection, agents answer text messages and send them during calls.
          </EmptyState>
        }
      />
    </>
  );
}
