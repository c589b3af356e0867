import { Badge, Group, Stack, Text } from "@mantine/core";
import type { Call } from "@parley/client";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import Phone from "lucide-react/icons/phone";
import { useMemo } from "react";
import { useParley } from "../../app/session/session.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { formatDateTime } from "../../ui/format.ts";
import { ButtonLink, TextLink } from "../../ui/links.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { ActiveCalls } from "./active-calls.tsx";
import { useAgentName } from "./agent-name.tsx";
import { CallFilters } from "./call-filters.tsx";
import { CallStatusBadge, DirectionIcon } from "./call-badges.tsx";
import { describeEnd, formatSeconds, isActive, otherSideOf, talkSecondsOf } from "./call-words.ts";
import { callsQuery } from "./calls.queries.ts";
import { type CallsSearch, toCallFilter } from "./calls.search.ts";

const PAGE_SIZE = 50;

const route = getRouteApi("/shell/in/calls");

export function CallsPage() {
  const parley = useParley();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const calls = useQuery(callsQuery(parley, { ...toCallFilter(search), pageSize: PAGE_SIZE }));
  const agentName = useAgentName();
  const columns = useMemo(() => columnsOf(agentName), [agentName]);
  const { page: _page, ...filter } = search;
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const setFilter = (change: Partial<CallsSearch>): void => {
    // A filter begins at the first page, and typing it does not fill the history.
    void navigate({ search: (now) => ({ ...now, ...change, page: undefined }), replace: true });
  };
  return (
    <>
      <PageHeader
        title="Calls"
        description="Every call by phone and browser: what was said, how it sounded, how it ended."
      />
      <ActiveCalls agentName={agentName} />
      <CallFilters search={search} onChange={setFilter} />
      <DataTable
        label="Calls"
        query={calls}
        columns={columns}
        keyOf={({ id }) => id}
        onPage={(next) => void navigate({ search: (now) => ({ ...now, page: next }) })}
        empty={isFiltered ? <NothingFound /> : <NoCalls />}
      />
    </>
  );
}

function columnsOf(agentName: (agentId: string) => string): readonly Column<Call>[] {
  return [
    {
      header: "Call",
      cell: (call) => (
        <Group gap="xs" wrap="nowrap">
          <DirectionIcon call={call} />
          <Stack gap={0}>
            <TextLink to="/calls/$callId" params={{ callId: call.id }} fw={600}>
              {otherSideOf(call)}
            </TextLink>
            <Text size="xs" c="dimmed" hiddenFrom="sm">
              {formatDateTime(call.createdAt)}
            </Text>
          </Stack>
          {call.isTest && (
            <Badge variant="default" size="xs">
              test
            </Badge>
          )}
        </Group>
      ),
    },
    { header: "Agent", cell: ({ agentId }) => agentName(agentId), visibleFrom: "sm" },
    { header: "Status", cell: (call) => <CallStatusBadge call={call} /> },
    {
      header: "End",
      cell: ({ endReason }) => (
        <Text size="sm" c="dimmed">
          {endReason === null ? "" : describeEnd(endReason).label}
        </Text>
      ),
      visibleFrom: "md",
    },
    {
      header: "Duration",
      cell: (call) => <Duration call={call} />,
      align: "right",
      visibleFrom: "xs",
    },
    { header: "Time", cell: ({ createdAt }) => formatDateTime(createdAt), visibleFrom: "sm" },
  ];
}

function Duration({ call }: { call: Call }) {
  const seconds = isActive(call) ? undefined : talkSecondsOf(call, 0);
  return <span className="figures">{seconds === undefined ? "–" : formatSeconds(seconds)}</span>;
}

function NothingFound() {
  return (
    <EmptyState icon={Phone} title="No call matches">
      Change or clear the filters above.
    </EmptyState>
  );
}

function NoCalls() {
  return (
    <EmptyState
      icon={Phone}
      title="No calls yet"
      action={<ButtonLink to="/try">Talk to an agent</ButtonLink>}
    >
      Calls appear here while they are in progress, and stay with their recording and transcript. Make the
      first one in the browser.
    </EmptyState>
  );
}
