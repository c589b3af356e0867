import { Badge, Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import type { OperatedOrganization } from "@parley/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import Building from "lucide-react/icons/building-2";
import Plus from "lucide-react/icons/plus";
import { useState } from "react";
import { CopyField } from "../../ui/copy-field.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { formatDateTime } from "../../ui/format.ts";
import { ButtonLink, TextLink } from "../../ui/links.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { FormFooter } from "../../ui/form-footer.tsx";
import { SearchField } from "../../ui/search-field.tsx";
import { useApiForm } from "../../ui/use-api-form.ts";
import { operate, organizationsQuery } from "./operator.queries.ts";

const route = getRouteApi("/shell/in/operator/organizations");

const columns: readonly Column<OperatedOrganization>[] = [
  {
    header: "Name",
    cell: ({ id, name }) => (
      <TextLink to="/operator/organizations/$organizationId" params={{ organizationId: id }} fw={600}>
        {name}
      </TextLink>
    ),
  },
  { header: "Billing", cell: ({ isBillingActive }) => <BillingBadge isActive={isBillingActive} /> },
  { header: "Country", cell: ({ homeCountry }) => homeCountry ?? "not set", visibleFrom: "sm" },
  {
    header: "Own limits",
    cell: ({ limitOverrides }) => Object.keys(limitOverrides).length || "defaults",
    visibleFrom: "sm",
  },
  { header: "Created", cell: ({ createdAt }) => formatDateTime(createdAt), visibleFrom: "md" },
];

/** All organizations of the installation. */
export function OrganizationsPage() {
  const { page = 1, search } = route.useSearch();
  const navigate = route.useNavigate();
  const organizations = useQuery(organizationsQuery({ page, search }));
  const [isCreating, setCreating] = useState(false);
  return (
    <>
      <PageHeader
        title="Organizations"
        description="Their billing, the countries that they call, and their limits."
        actions={
          <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setCreating(true)}>
            New organization
          </Button>
        }
      />
      <Group mb="md">
        <SearchField
          label="Search by name"
          value={search}
          onChange={(text) => void navigate({ search: { search: text }, replace: true })}
        />
      </Group>
      <DataTable
        label="Organizations"
        query={organizations}
        columns={columns}
        keyOf={({ id }) => id}
        onPage={(next) => void navigate({ search: (now) => ({ ...now, page: next }) })}
        empty={
          <EmptyState
            icon={Building}
            title={search === undefined ? "No organizations" : "No organization matches"}
          >
            {search === undefined
              ? "An organization has its own agents, numbers, members and keys."
              : "Change or clear the search above."}
          </EmptyState>
        }
      />
      <Modal opened={isCreating} onClose={() => setCreating(false)} title="New organization" centered>
        <CreationForm onClose={() => setCreating(false)} />
      </Modal>
    </>
  );
}

export function BillingBadge({ isActive }: { isActive: boolean }) {
  return (
    <Badge variant="light" color={isActive ? "house" : "red"}>
      {isActive ? "active" : "off"}
    </Badge>
  );
}

function CreationForm({ onClose }: { onClose: () => void }) {
  const queryClient = useQueryClient();
  const [created, setCreated] = useState<OperatedOrganization & { apiKey: string }>();
  const { form, saving, submit, problem } = useApiForm({
    initialValues: { name: "" },
    validate: ({ name }) => ({ name: name.trim() === "" ? "is required" : undefined }),
    save: async (values) =>
      await operate<OperatedOrganization & { apiKey: string }>("POST", "/organizations", values),
    onSaved: async (organization) => {
      setCreated(organization);
      await queryClient.invalidateQueries({ queryKey: ["operator", "organizations"] });
    },
  });
  if (created !== undefined)
    return (
      <Stack>
        <Text size="sm">
          {created.name} has its first API key. Store it now: it is not shown again. On the organization’s
          page you invite its owner.
        </Text>
        <CopyField label="API key" value={created.apiKey} />
        <Group justify="flex-end">
          <ButtonLink to="/operator/organizations/$organizationId" params={{ organizationId: created.id }}>
            Open {created.name}
          </ButtonLink>
        </Group>
      </Stack>
    );
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <TextInput label="Name" data-autofocus data-path="name" required {...form.getInputProps("name")} />
        <FormFooter problem={problem} isSaving={saving.isPending} onCancel={onClose} />
      </Stack>
    </form>
  );
}
