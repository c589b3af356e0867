import { Button, Group, Modal, Select, Stack, Text, TextInput } from "@mantine/core";
import type { ApiKey, ApiKeyCreate, ApiKeyCreated } from "@parley/client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import KeyRound from "lucide-react/icons/key-round";
import Plus from "lucide-react/icons/plus";
import { useState } from "react";
import { useMay } from "../../app/session/allowed.tsx";
import { useParley } from "../../app/session/session.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { formatDateTime } from "../../ui/format.ts";
import { Problem } from "../../ui/problem.tsx";
import { toast } from "../../ui/toast.ts";
import { useApiForm } from "../../ui/use-api-form.ts";
import { CopyField } from "../../ui/copy-field.tsx";
import { SettingsHeader } from "./settings-header.tsx";
import { apiKeysQuery } from "./settings.queries.ts";

const route = getRouteApi("/shell/in/settings/api-keys");
const DAY_MS = 24 * 60 * 60 * 1000;

const keyRoles = [
  { value: "admin", label: "Admin: everything" },
  { value: "member", label: "Member: no members, keys and settings" },
  { value: "read", label: "Read only" },
];
const lifetimes = [
  { value: "", label: "Never" },
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
];

/** Credentials of programs. */
export function ApiKeysPage() {
  if (useMay()("createApiKey")) return <ApiKeys />;
  return (
    <SettingsHeader
      title="API keys"
      description="Only owners and admins see and create API keys. Ask one of them for a key."
    />
  );
}

function ApiKeys() {
  const { page = 1 } = route.useSearch();
  const navigate = route.useNavigate();
  const keys = useQuery(apiKeysQuery(useParley(), page));
  const [isCreating, setCreating] = useState(false);
  const [revoked, setRevoked] = useState<ApiKey>();
  return (
    <>
      <SettingsHeader
        title="API keys"
        description="Programs use the API with a key. Its name is the actor in version histories."
        actions={
          <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setCreating(true)}>
            New key
          </Button>
        }
      />
      <DataTable
        label="API keys"
        query={keys}
        columns={columnsFor(setRevoked)}
        keyOf={({ id }) => id}
        onPage={(next) => void navigate({ search: { page: next } })}
        empty={
          <EmptyState icon={KeyRound} title="No API keys">
            A key lets your own programs place calls and read their results.
          </EmptyState>
        }
      />
      <Modal opened={isCreating} onClose={() => setCreating(false)} title="New API key" centered>
        <KeyForm onClose={() => setCreating(false)} />
      </Modal>
      <RevokeDialog apiKey={revoked} onClose={() => setRevoked(undefined)} />
    </>
  );
}

function columnsFor(revoke: (key: ApiKey) => void): readonly Column<ApiKey>[] {
  return [
    { header: "Name", cell: ({ name }) => <Text fw={600}>{name}</Text> },
    { header: "Key", cell: ({ last4 }) => `…${last4}`, visibleFrom: "sm" },
    { header: "Role", cell: ({ role }) => role },
    {
      header: "Last used",
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? "never" : formatDateTime(lastUsedAt)),
      visibleFrom: "sm",
    },
    {
      header: "Expires",
      cell: ({ expiresAt }) => (expiresAt === null ? "never" : formatDateTime(expiresAt)),
      visibleFrom: "md",
    },
    { header: "Created by", cell: ({ createdBy }) => createdBy ?? "the server", visibleFrom: "lg" },
    {
      header: "Actions",
      align: "right",
      cell: (key) => (
        <Button size="xs" variant="default" aria-label={`Revoke ${key.name}`} onClick={() => revoke(key)}>
          Revoke
        </Button>
      ),
    },
  ];
}

function KeyForm({ onClose }: { onClose: () => void }) {
  const parley = useParley();
  const queryClient = useQueryClient();
  const [created, setCreated] = useState<ApiKeyCreated>();
  const { form, saving, submit, problem } = useApiForm({
    initialValues: { name: "", role: "admin", days: "" },
    validate: ({ name }) => ({ name: name.trim() === "" ? "is required" : undefined }),
    save: async ({ name, role, days }) =>
      await parley.createApiKey({
        name,
        role: role as NonNullable<ApiKeyCreate["role"]>,
        expiresAt: days === "" ? null : new Date(Date.now() + Number(days) * DAY_MS).toISOString(),
      }),
    onSaved: async (key) => {
      setCreated(key);
      await queryClient.invalidateQueries({ queryKey: ["api-keys"] });
    },
  });
  if (created !== undefined)
    return (
      <Stack>
        <Text size="sm">Store the key now: it is not shown again.</Text>
        <CopyField label="API key" value={created.key} />
        <Group justify="flex-end">
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    );
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <TextInput
          label="Name"
          description="What the key is for."
          data-autofocus
          data-path="name"
          required
          {...form.getInputProps("name")}
        />
        <Select label="Role" allowDeselect={false} data={keyRoles} {...form.getInputProps("role")} />
        <Select label="Expires" allowDeselect={false} data={lifetimes} {...form.getInputProps("days")} />
        {problem !== undefined && <Problem error={problem} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={saving.isPending}>
            Create key
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function RevokeDialog({ apiKey, onClose }: { apiKey: ApiKey | undefined; onClose: () => void }) {
  const parley = useParley();
  const queryClient = useQueryClient();
  const revoke = async (): Promise<void> => {
    if (apiKey === undefined) return;
    await parley.revokeApiKey(apiKey.id);
    await queryClient.invalidateQueries({ queryKey: ["api-keys"] });
    toast.done(`The key ${apiKey.name} is revoked.`);
  };
  return (
    <ConfirmDialog
      isOpen={apiKey !== undefined}
      onClose={onClose}
      title={`Revoke the key ${apiKey?.name ?? ""}?`}
      confirm="Revoke"
      onConfirm={revoke}
    >
      Programs that use it are refused, at the latest after 30 seconds. It cannot be brought back.
    </ConfirmDialog>
  );
}
