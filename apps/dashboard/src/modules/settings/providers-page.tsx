import { Badge, Button, Group, Modal, PasswordInput, Select, Stack, Text } from "@mantine/core";
import type { ProviderCheck, ProviderState } from "@parley/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import Plug from "lucide-react/icons/plug";
import Plus from "lucide-react/icons/plus";
import { useState } from "react";
import { Allowed } from "../../app/session/allowed.tsx";
import { useParley } from "../../app/session/session.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { formatDateTime } from "../../ui/format.ts";
import { Problem } from "../../ui/problem.tsx";
import { toast } from "../../ui/toast.ts";
import { useApiForm } from "../../ui/use-api-form.ts";
import { SettingsHeader } from "./settings-header.tsx";
import { providersQuery } from "./settings.queries.ts";

const parts = { stt: "recognition", llm: "language models", tts: "voices" } as const;

/** Providers of speech and language models: whose key is used, whether it works, and how often they failed. */
export function ProvidersPage() {
  const providers = useQuery(providersQuery(useParley()));
  const [isAdding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<ProviderState>();
  return (
    <>
      <SettingsHeader
        title="Providers"
        description="Speech and language models from other companies. A key of your own replaces the server’s."
        actions={
          <Allowed operation="createProviderKey">
            <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setAdding(true)}>
              Add a key
            </Button>
          </Allowed>
        }
      />
      <DataTable
        label="Providers"
        query={providers}
        columns={columnsFor(setRemoved)}
        keyOf={({ id }) => id}
        onPage={() => {}}
        empty={
          <EmptyState icon={Plug} title="No providers">
            This server knows no providers.
          </EmptyState>
        }
      />
      <Modal opened={isAdding} onClose={() => setAdding(false)} title="Add a key" centered>
        <KeyForm providers={providers.data?.data ?? []} onClose={() => setAdding(false)} />
      </Modal>
      <RemoveDialog provider={removed} onClose={() => setRemoved(undefined)} />
    </>
  );
}

function columnsFor(remove: (provider: ProviderState) => void): readonly Column<ProviderState>[] {
  return [
    {
      header: "Provider",
      cell: ({ displayName, parts: offered }) => (
        <>
          <Text fw={600}>{displayName}</Text>
          <Text size="sm" c="dimmed">
            {offered.map((part) => parts[part]).join(", ")}
          </Text>
        </>
      ),
    },
    { header: "Key", cell: (provider) => <KeySource provider={provider} /> },
    { header: "Sent to", cell: ({ host }) => host, visibleFrom: "md" },
    { header: "Health", cell: (provider) => <Health provider={provider} />, visibleFrom: "sm" },
    {
      header: "Actions",
      align: "right",
      cell: (provider) => <Actions provider={provider} onRemove={() => remove(provider)} />,
    },
  ];
}

function KeySource({ provider: { source, last4 } }: { provider: ProviderState }) {
  if (source === null) return <Text c="dimmed">none</Text>;
  return source === "operator" ? "the server’s" : `yours …${last4 ?? ""}`;
}

function Health({ provider: { source, failuresLastHour, lastFailure } }: { provider: ProviderState }) {
  if (lastFailure === null)
    return <Text c="dimmed">{source === null ? "not used" : "no failure in 24 hours"}</Text>;
  return (
    <>
      <Badge variant="light" color={failuresLastHour > 0 ? "red" : "gray"}>
        {failuresLastHour === 1 ? "1 failure" : `${failuresLastHour} failures`} in the last hour
      </Badge>
      <Text size="sm" c="dimmed">
        {formatDateTime(lastFailure.at)}: {lastFailure.message}
      </Text>
    </>
  );
}

function Actions({ provider, onRemove }: { provider: ProviderState; onRemove: () => void }) {
  const parley = useParley();
  const check = useMutation({ mutationFn: async () => await parley.checkProvider(provider.id) });
  if (provider.source === null) return null;
  return (
    <Stack gap={4} align="flex-end">
      <Group gap="xs" justify="flex-end">
        <Allowed operation="checkProvider">
          <Button
            size="xs"
            variant="default"
            loading={check.isPending}
            aria-label={`Check ${provider.displayName}`}
            onClick={() => check.mutate()}
          >
            Check
          </Button>
        </Allowed>
        {provider.keyId !== null && (
          <Allowed operation="deleteProviderKey">
            <Button
              size="xs"
              variant="default"
              aria-label={`Remove the key of ${provider.displayName}`}
              onClick={onRemove}
            >
              Remove
            </Button>
          </Allowed>
        )}
      </Group>
      <div role="status">{check.data !== undefined && <CheckResult check={check.data} />}</div>
      {check.error !== null && <Problem error={check.error} />}
    </Stack>
  );
}

function CheckResult({ check: { isOk, message, latencyMs } }: { check: ProviderCheck }) {
  return (
    <Text size="sm" c={isOk ? "dimmed" : "red"}>
      {isOk && latencyMs !== null ? `Works: ${latencyMs} ms from the server` : message}
    </Text>
  );
}

function KeyForm({ providers, onClose }: { providers: readonly ProviderState[]; onClose: () => void }) {
  const parley = useParley();
  const queryClient = useQueryClient();
  const { form, saving, submit, problem } = useApiForm({
    initialValues: { provider: "", apiKey: "" },
    validate: ({ provider, apiKey }) => ({
      provider: provider === "" ? "is required" : undefined,
      apiKey: apiKey.trim() === "" ? "is required" : undefined,
    }),
    save: async ({ provider, apiKey }) => await parley.createProviderKey({ provider, apiKey: apiKey.trim() }),
    onSaved: async () => {
      toast.done("The key works and is stored.");
      onClose();
      await queryClient.invalidateQueries();
    },
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Select
          label="Provider"
          data-path="provider"
          required
          allowDeselect={false}
          data={providers
            .filter(({ takesKey }) => takesKey)
            .map(({ id, displayName }) => ({ value: id, label: displayName }))}
          {...form.getInputProps("provider")}
        />
        <PasswordInput
          label="API key"
          description="It is checked at the provider, stored encrypted and not shown again."
          data-path="apiKey"
          autoComplete="off"
          required
          {...form.getInputProps("apiKey")}
        />
        {problem !== undefined && <Problem error={problem} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={saving.isPending}>
            Check and store
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function RemoveDialog({ provider, onClose }: { provider: ProviderState | undefined; onClose: () => void }) {
  const parley = useParley();
  const queryClient = useQueryClient();
  const remove = async (): Promise<void> => {
    if (provider?.keyId === undefined || provider.keyId === null) return;
    await parley.deleteProviderKey(provider.keyId);
    await queryClient.invalidateQueries();
    toast.done(`Your key of ${provider.displayName} is removed.`);
  };
  return (
    <ConfirmDialog
      isOpen={provider !== undefined}
      onClose={onClose}
      title={`Remove your key of ${provider?.displayName ?? ""}?`}
      confirm="Remove"
      onConfirm={remove}
    >
      Later calls use the server’s key, if it has one. Calls in progress keep this one. Voices that were
      cloned with it cannot speak until a key of the same account is stored.
    </ConfirmDialog>
  );
}
