import { Group, NativeSelect, Progress, Stack, Text } from "@mantine/core";
import type { Campaign } from "@parley/client";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import Megaphone from "lucide-react/icons/megaphone";
import Plus from "lucide-react/icons/plus";
import { Allowed } from "../../app/session/allowed.tsx";
import { useParley } from "../../app/session/session.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { formatDateTime } from "../../ui/format.ts";
import { ButtonLink, TextLink } from "../../ui/links.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { CampaignStatusBadge } from "./campaign-status.tsx";
import { campaignStatuses, pauseReasons } from "./campaign-words.ts";
import { campaignsQuery } from "./campaigns.queries.ts";
import { statusNames } from "./campaigns.routes.ts";

const route = getRouteApi("/shell/in/campaigns");

const columns: readonly Column<Campaign>[] = [
  {
    header: "Name",
    cell: ({ id, name }) => (
      <TextLink to="/campaigns/$campaignId" params={{ campaignId: id }} fw={600}>
        {name}
      </TextLink>
    ),
  },
  { header: "Status", cell: (campaign) => <Status campaign={campaign} /> },
  { header: "Contacts done", cell: (campaign) => <Done campaign={campaign} /> },
  { header: "Agent", cell: ({ agentName }) => agentName, visibleFrom: "sm" },
  {
    header: "Next dial",
    cell: ({ nextDialAt }) => (nextDialAt === null ? "" : formatDateTime(nextDialAt)),
    visibleFrom: "md",
  },
  { header: "Created", cell: ({ createdAt }) => formatDateTime(createdAt), visibleFrom: "md" },
];

/** Lists of people that agents call. */
export function CampaignsPage() {
  const { page = 1, status } = route.useSearch();
  const navigate = route.useNavigate();
  const filter = { page, ...(status !== undefined && { status: [status] }) };
  const campaigns = useQuery(campaignsQuery(useParley(), filter));
  return (
    <>
      <PageHeader
        title="Campaigns"
        description="An agent calls a list of people, at their local time, at your pace."
        actions={
          <Allowed operation="createCampaign">
            <ButtonLink to="/campaigns/new" leftSection={<Plus size={16} aria-hidden />}>
              New campaign
            </ButtonLink>
          </Allowed>
        }
      />
      <Group mb="md" gap="sm">
        <NativeSelect
          aria-label="Status"
          data={[
            { value: "", label: "Any status" },
            ...statusNames.map((value) => ({ value, label: campaignStatuses[value].label })),
          ]}
          value={status ?? ""}
          onChange={({ currentTarget: { value } }) =>
            void navigate({ search: { status: statusNames.find((name) => name === value) }, replace: true })
          }
        />
      </Group>
      <DataTable
        label="Campaigns"
        query={campaigns}
        columns={columns}
        keyOf={({ id }) => id}
        onPage={(next) => void navigate({ search: (now) => ({ ...now, page: next }) })}
        empty={status === undefined ? <NoCampaigns /> : <NothingFound />}
      />
    </>
  );
}

function Status({ campaign: { status, statusReason } }: { campaign: Campaign }) {
  const isBySelf = statusReason !== null && statusReason !== "requested";
  return (
    <Stack gap={2} align="flex-start">
      <CampaignStatusBadge status={status} />
      {isBySelf && (
        <Text size="xs" c="red">
          {pauseReasons[statusReason].title}
        </Text>
      )}
    </Stack>
  );
}

function Done({ campaign: { name, progress } }: { campaign: Campaign }) {
  const { done, total } = progress;
  return (
    <Stack gap={4} miw={80}>
      <Text size="sm" className="figures">
        {done.toLocaleString("en")} of {total.toLocaleString("en")}
      </Text>
      <Progress value={total === 0 ? 0 : (100 * done) / total} aria-label={`Contacts done of ${name}`} />
    </Stack>
  );
}

function NothingFound() {
  return (
    <EmptyState icon={Megaphone} title="No campaign has this status">
      Choose another one above.
    </EmptyState>
  );
}

function NoCampaigns() {
  return (
    <EmptyState
      icon={Megaphone}
      title="No campaigns yet"
      action={
        <Allowed operation="createCampaign">
          <ButtonLink to="/campaigns/new">Create a campaign</ButtonLink>
        </Allowed>
      }
    >
      Bring a list of phone numbers as CSV, choose an agent, and say when people may be called. The campaign
      dials them at their local time, again if there was no answer, and never twice at once.
    </EmptyState>
  );
}
