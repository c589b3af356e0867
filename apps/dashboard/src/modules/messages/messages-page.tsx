import { Select, SimpleGrid, Stack, Text } from "@mantine/core";
import type { Message } from "@parley/client";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import MessageSquare from "lucide-react/icons/message-square";
import { useParley } from "../../app/session/session.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { formatDateTime } from "../../ui/format.ts";
import { ButtonLink, TextLink } from "../../ui/links.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { SearchField } from "../../ui/search-field.tsx";
import { MessageBadge } from "./message-badge.tsx";
import { messagesQuery } from "./messages.queries.ts";
import type { MessagesSearch } from "./messages.routes.ts";

const route = getRouteApi("/shell/in/messages");

const directionChoices = [
  { value: "INBOUND", label: "Received" },
  { value: "OUTBOUND", label: "Sent" },
];
const statusChoices = ["queued", "sent", "delivered", "failed", "received"];

const columns: readonly Column<Message>[] = [
  {
    header: "Other side",
    cell: ({ direction, fromNumber, toNumber, conversationId }) => {
      const number = direction === "INBOUND" ? fromNumber : toNumber;
      return conversationId === null ? (
        <Text fw={600}>{number}</Text>
      ) : (
        <TextLink to="/messages/$conversationId" params={{ conversationId }} fw={600}>
          {number}
        </TextLink>
      );
    },
  },
  {
    header: "Message",
    cell: ({ direction, body, media }) => (
      <Stack gap={0}>
        <Text size="xs" c="dimmed">
          {direction === "INBOUND" ? "received" : "sent"}
          {media.length > 0 && `, ${media.length} file(s)`}
        </Text>
        <Text size="sm" lineClamp={2} style={{ overflowWrap: "anywhere" }}>
          {body}
        </Text>
      </Stack>
    ),
  },
  { header: "Agent", cell: ({ agentName }) => agentName ?? "", visibleFrom: "md" },
  { header: "Status", cell: (message) => <MessageBadge message={message} />, visibleFrom: "xs" },
  { header: "Time", cell: ({ createdAt }) => formatDateTime(createdAt), visibleFrom: "sm" },
];

/** All text messages, the latest first. */
export function MessagesPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const messages = useQuery(messagesQuery(useParley(), search));
  const { page: _page, ...filter } = search;
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const setFilter = (change: Partial<MessagesSearch>): void =>
    void navigate({ search: (now) => ({ ...now, ...change, page: undefined }), replace: true });
  return (
    <>
      <PageHeader title="Messages" description="Text messages that agents and your programs exchange." />
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm" mb="md" component="search">
        <SearchField label="Number" value={search.number} onChange={(number) => setFilter({ number })} />
        <Select
          aria-label="Direction"
          placeholder="Both directions"
          clearable
          data={directionChoices}
          value={search.direction ?? null}
          onChange={(direction) =>
            setFilter({ direction: (direction ?? undefined) as MessagesSearch["direction"] })
          }
        />
        <Select
          aria-label="Status"
          placeholder="Any status"
          clearable
          data={statusChoices}
          value={search.status ?? null}
          onChange={(status) => setFilter({ status: (status ?? undefined) as MessagesSearch["status"] })}
        />
      </SimpleGrid>
      <DataTable
        label="Messages"
        query={messages}
        columns={columns}
        keyOf={({ id }) => id}
        onPage={(next) => void navigate({ search: (now) => ({ ...now, page: next }) })}
        empty={isFiltered ? <NothingFound /> : <NoMessages />}
      />
    </>
  );
}

function NothingFound() {
  return (
    <EmptyState icon={MessageSquare} title="No message matches">
      Change or clear the filters above.
    </EmptyState>
  );
}

function NoMessages() {
  return (
    <EmptyState
      icon={MessageSquare}
      title="No messages yet"
      action={<ButtonLink to="/messaging-connections">Messaging connections</ButtonLink>}
    >
      Messages appear here once an agent has a messaging connection and a number.
    </EmptyState>
  );
}
