import { Badge, Group, NativeSelect, Text } from "@mantine/core";
import type { Campaign, CampaignContact } from "@parley/client";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import Users from "lucide-react/icons/users";
import { useMemo } from "react";
import { Allowed } from "../../../app/session/allowed.tsx";
import { useParley } from "../../../app/session/session.tsx";
import { type Column, DataTable } from "../../../ui/data-table.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { formatDateTime } from "../../../ui/format.ts";
import { ButtonLink, TextLink } from "../../../ui/links.tsx";
import { Loaded } from "../../../ui/loading.tsx";
import { SearchField } from "../../../ui/search-field.tsx";
import { contactStatuses, outcomes } from "../campaign-words.ts";
import { campaignQuery, contactsQuery } from "../campaigns.queries.ts";
import { contactOutcomeNames, contactStatusNames, type ContactsSearch } from "../campaigns.routes.ts";

const PAGE_SIZE = 50;

const route = getRouteApi("/shell/in/campaigns/$campaignId/contacts");

/** The contacts of a campaign with their outcomes. */
export function ContactsTab() {
  const { campaignId } = route.useParams();
  const campaign = useQuery(campaignQuery(useParley(), campaignId));
  return <Loaded query={campaign}>{(loaded) => <Contacts campaign={loaded} />}</Loaded>;
}

function Contacts({ campaign }: { campaign: Campaign }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const contacts = useQuery(contactsQuery(useParley(), campaign, toFilter(search)));
  const columns = useMemo(() => columnsOf(campaign.id), [campaign.id]);
  const setFilter = (change: Partial<ContactsSearch>): void => {
    void navigate({ search: (now) => ({ ...now, ...change, page: undefined }), replace: true });
  };
  const { page: _page, ...filter } = search;
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  return (
    <>
      <Group mb="md" gap="sm">
        <SearchField
          label="Find a phone number"
          value={search.toNumber}
          onChange={(toNumber) => setFilter({ toNumber })}
        />
        <NativeSelect
          aria-label="Status"
          data={[
            { value: "", label: "Any status" },
            ...contactStatusNames.map((value) => ({ value, label: contactStatuses[value].label })),
          ]}
          value={search.status ?? ""}
          onChange={({ currentTarget: { value } }) =>
            setFilter({ status: contactStatusNames.find((name) => name === value) })
          }
        />
        <NativeSelect
          aria-label="Outcome"
          data={[
            { value: "", label: "Any outcome" },
            ...contactOutcomeNames.map((value) => ({ value, label: outcomes[value].label })),
          ]}
          value={search.outcome ?? ""}
          onChange={({ currentTarget: { value } }) =>
            setFilter({ outcome: contactOutcomeNames.find((name) => name === value) })
          }
        />
      </Group>
      <DataTable
        label="Contacts"
        query={contacts}
        columns={columns}
        keyOf={({ id }) => id}
        onPage={(page) => void navigate({ search: (now) => ({ ...now, page }) })}
        empty={isFiltered ? <NothingFound /> : <NoContacts campaign={campaign} />}
      />
    </>
  );
}

function toFilter({ page = 1, status, outcome, toNumber }: ContactsSearch) {
  return {
    page,
    pageSize: PAGE_SIZE,
    sort: "asc" as const,
    ...(status !== undefined && { status: [status] }),
    ...(outcome !== undefined && { outcome: [outcome] }),
    ...(toNumber !== undefined && { toNumber }),
  };
}

function columnsOf(campaignId: string): readonly Column<CampaignContact>[] {
  return [
    {
      header: "Phone number",
      cell: ({ id, toNumber }) => (
        <TextLink
          to="/campaigns/$campaignId/contacts/$contactId"
          params={{ campaignId, contactId: id }}
          fw={600}
        >
          {toNumber}
        </TextLink>
      ),
    },
    { header: "Status", cell: (contact) => <ContactStatusBadge contact={contact} /> },
    {
      header: "Outcome",
      cell: ({ outcome }) => (outcome === null ? "" : outcomes[outcome].label),
      visibleFrom: "xs",
    },
    { header: "Attempts", cell: ({ attempts }) => attempts, align: "right", visibleFrom: "sm" },
    {
      header: "Next attempt",
      cell: ({ nextAttemptAt }) => (nextAttemptAt === null ? "" : formatDateTime(nextAttemptAt)),
      visibleFrom: "md",
    },
    {
      header: "Time zone",
      cell: ({ timezone }) => timezone ?? <Text c="dimmed">the window’s</Text>,
      visibleFrom: "md",
    },
  ];
}

export function ContactStatusBadge({ contact: { status } }: { contact: Pick<CampaignContact, "status"> }) {
  const { label, color } = contactStatuses[status];
  return (
    <Badge variant="light" color={color}>
      {label}
    </Badge>
  );
}

function NothingFound() {
  return (
    <EmptyState icon={Users} title="No contact matches">
      Change the filters above. A phone number is found if it is complete, with its country code.
    </EmptyState>
  );
}

function NoContacts({ campaign: { id } }: { campaign: Campaign }) {
  return (
    <EmptyState
      icon={Users}
      title="No contacts yet"
      action={
        <Allowed operation="addCampaignContacts">
          <ButtonLink to="/campaigns/$campaignId/add-contacts" params={{ campaignId: id }}>
            Add contacts
          </ButtonLink>
        </Allowed>
      }
    >
      Contacts come from a CSV file: a phone number, and whatever else the agent should know.
    </EmptyState>
  );
}
