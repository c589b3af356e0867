import { Button, Group, Text } from "@mantine/core";
import type { OperatedPhoneNumber } from "@parley/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import Hash from "lucide-react/icons/hash";
import { useState } from "react";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { formatDateTime } from "../../ui/format.ts";
import { ButtonLink, TextLink } from "../../ui/links.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { SearchField } from "../../ui/search-field.tsx";
import { toast } from "../../ui/toast.ts";
import { operate, operatedNumbersQuery } from "./operator.queries.ts";

const route = getRouteApi("/shell/in/operator/phone-numbers");

/** The phone numbers of all organizations. */
export function OperatedNumbersPage() {
  const { page = 1, e164, organizationId } = route.useSearch();
  const navigate = route.useNavigate();
  const numbers = useQuery(operatedNumbersQuery({ page, e164, organizationId }));
  const [released, setReleased] = useState<OperatedPhoneNumber>();
  const isFiltered = e164 !== undefined || organizationId !== undefined;
  return (
    <>
      <PageHeader
        title="Phone numbers"
        description="Who has which number. A number that another organization needs can be released."
      />
      <Group mb="md">
        <SearchField
          label="Whole number, such as +4930123456"
          value={e164}
          onChange={(text) =>
            void navigate({ search: (now) => ({ ...now, page: undefined, e164: text }), replace: true })
          }
        />
        {organizationId !== undefined && (
          <ButtonLink variant="subtle" size="xs" to="/operator/phone-numbers" search={{ e164 }}>
            Show all organizations
          </ButtonLink>
        )}
      </Group>
      <DataTable
        label="Phone numbers"
        query={numbers}
        columns={columnsFor(setReleased)}
        keyOf={({ id }) => id}
        onPage={(next) => void navigate({ search: (now) => ({ ...now, page: next }) })}
        empty={
          <EmptyState icon={Hash} title={isFiltered ? "Nobody has this number" : "No phone numbers"}>
            {isFiltered
              ? "Enter the whole number with its country code, as in +4930123456."
              : "Numbers appear here once an organization has bound one to an agent."}
          </EmptyState>
        }
      />
      <ReleaseDialog number={released} onClose={() => setReleased(undefined)} />
    </>
  );
}

function columnsFor(release: (number: OperatedPhoneNumber) => void): readonly Column<OperatedPhoneNumber>[] {
  return [
    { header: "Number", cell: ({ e164 }) => <Text fw={600}>{e164}</Text> },
    {
      header: "Organization",
      cell: ({ organizationId, organizationName }) => (
        <TextLink to="/operator/organizations/$organizationId" params={{ organizationId }}>
          {organizationName}
        </TextLink>
      ),
    },
    {
      header: "Agent",
      cell: ({ agentId }) => (agentId === null ? <Text c="dimmed">none</Text> : "bound"),
      visibleFrom: "sm",
    },
    { header: "Added", cell: ({ createdAt }) => formatDateTime(createdAt), visibleFrom: "md" },
    {
      header: "Actions",
      align: "right",
      cell: (number) => (
        <Button
          size="xs"
          variant="default"
          aria-label={`Release ${number.e164} of ${number.organizationName}`}
          onClick={() => release(number)}
        >
          Release
        </Button>
      ),
    },
  ];
}

function ReleaseDialog({
  number,
  onClose,
}: {
  number: OperatedPhoneNumber | undefined;
  onClose: () => void;
}) {
  const queryClient = useQueryClient();
  const release = async (): Promise<void> => {
    if (number === undefined) return;
    await operate("DELETE", `/number-claims/${number.id}`);
    await queryClient.invalidateQueries({ queryKey: ["operator", "numbers"] });
    toast.done(`${number.e164} is released.`);
  };
  return (
    <ConfirmDialog
      isOpen={number !== undefined}
      onClose={onClose}
      title={`Release ${number?.e164 ?? ""}?`}
      confirm="Release"
      onConfirm={release}
    >
      {number?.organizationName} loses the number, and its agent gets a version without it. Calls in progress
      go on. Another organization can then add the number.
    </ConfirmDialog>
  );
}
