import {
  Alert,
  Button,
  Card,
  Code,
  CopyButton,
  Fieldset,
  Group,
  List,
  Stack,
  Text,
  Title,
} from "@mantine/core";
import type { MessagingConnection } from "@parley/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import Check from "lucide-react/icons/check";
import X from "lucide-react/icons/x";
import { useState } from "react";
import { Allowed, useMay } from "../../app/session/allowed.tsx";
import { useParley } from "../../app/session/session.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { formatDateTime } from "../../ui/format.ts";
import { Loaded } from "../../ui/loading.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Problem } from "../../ui/problem.tsx";
import { toast } from "../../ui/toast.ts";
import { UnsavedChangesGuard } from "../../ui/unsaved-changes.tsx";
import { ConnectionFormFields } from "./connection-form-fields.tsx";
import { connectionQuery } from "./messaging-connections.queries.ts";
import { useConnectionForm, valuesOf } from "./use-connection-form.ts";

const route = getRouteApi("/shell/in/messaging-connections/$connectionId");

/** One connection: what to enter at the provider, whether it works, and its settings. */
export function ConnectionPage() {
  const { connectionId } = route.useParams();
  const connection = useQuery(connectionQuery(useParley(), connectionId));
  return (
    <Loaded query={connection} heading="Messaging connection">
      {(loaded) => (
        <>
          <PageHeader
            title={loaded.friendlyName}
            description={`Twilio account ${loaded.accountSid}`}
            actions={
              <Allowed operation="deleteMessagingConnection">
                <DeleteConnection connection={loaded} />
              </Allowed>
            }
          />
          <Stack gap="lg">
            <ProviderSettings connection={loaded} />
            <Allowed operation="checkMessagingConnection">
              <ConnectionCheck key={connectionId} connectionId={connectionId} />
            </Allowed>
            <ConnectionSettings key={loaded.updatedAt} connection={loaded} />
          </Stack>
        </>
      )}
    </Loaded>
  );
}

function ProviderSettings({ connection: { config } }: { connection: MessagingConnection }) {
  const { inboundMessageUrl: url } = config;
  return (
    <Card withBorder padding="lg" component="section" aria-label="At Twilio">
      <Title order={2} size="h4" mb="sm">
        At Twilio
      </Title>
      {url === null ? (
        <Text size="sm">
          To receive messages, the operator sets PARLEY_PUBLIC_URL to this server&apos;s public address.
          Messages can be sent without it.
        </Text>
      ) : (
        <List type="ordered" size="sm" spacing="xs">
          <List.Item>
            Open your number, or its messaging service, and enter this URL for “A message comes in”, with the
            method HTTP POST:
            <Group gap="xs" mt={4}>
              <Code style={{ overflowWrap: "anywhere" }}>{url}</Code>
              <CopyButton value={url}>
                {({ copied, copy }) => (
                  <Button size="compact-xs" variant="default" onClick={copy}>
                    {copied ? "Copied" : "Copy"}
                  </Button>
                )}
              </CopyButton>
            </Group>
          </List.Item>
          <List.Item>
            In the agent&apos;s settings under Messaging, choose this connection and the number.
          </List.Item>
        </List>
      )}
    </Card>
  );
}

function ConnectionCheck({ connectionId }: { connectionId: string }) {
  const parley = useParley();
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: async () => await parley.checkMessagingConnection(connectionId),
  });
  return (
    <Card withBorder padding="lg" component="section" aria-label="Check" aria-busy={isPending}>
      <Stack>
        <Group justify="space-between">
          <Title order={2} size="h4">
            Check
          </Title>
          <Button variant="default" loading={isPending} onClick={() => mutate()}>
            {data === undefined ? "Check now" : "Check again"}
          </Button>
        </Group>
        {error !== null && <Problem error={error} onRetry={() => mutate()} />}
        <div role="status">
          {data !== undefined && !isPending && (
            <Alert
              color={data.isOk ? "house" : "red"}
              variant="light"
              title={data.isOk ? "Twilio accepts the credentials" : "The check found a problem"}
              icon={data.isOk ? <Check size={18} aria-hidden /> : <X size={18} aria-hidden />}
            >
              <Text size="sm" component="span">
                {data.message} Checked {formatDateTime(data.checkedAt)}.
              </Text>
            </Alert>
          )}
        </div>
      </Stack>
    </Card>
  );
}

function ConnectionSettings({ connection }: { connection: MessagingConnection }) {
  const parley = useParley();
  const queryClient = useQueryClient();
  const mayChange = useMay()("updateMessagingConnection");
  const { form, saving, submit, problem } = useConnectionForm({
    initialValues: valuesOf(connection),
    save: async ({ authToken, friendlyName, ...values }) =>
      await parley.updateMessagingConnection(connection.id, {
        ...values,
        ...(friendlyName !== null && { friendlyName }),
        ...(authToken !== "" && { authToken }),
      }),
    onSaved: async ({ friendlyName }) => {
      form.resetDirty();
      toast.done(`${friendlyName} is saved.`);
      await queryClient.invalidateQueries({ queryKey: ["messaging-connections"] });
    },
  });
  return (
    <Card component="form" withBorder padding="lg" onSubmit={submit} noValidate aria-label="Settings">
      <UnsavedChangesGuard isDirty={form.isDirty} />
      <Stack>
        <Title order={2} size="h4">
          Settings
        </Title>
        <Fieldset variant="unstyled" disabled={!mayChange}>
          <ConnectionFormFields form={form} isStored />
        </Fieldset>
        {problem !== undefined && <Problem error={problem} />}
        {mayChange && (
          <Group justify="flex-end">
            <Button variant="default" disabled={!form.isDirty()} onClick={() => form.reset()}>
              Discard
            </Button>
            <Button type="submit" loading={saving.isPending} disabled={!form.isDirty()}>
              Save
            </Button>
          </Group>
        )}
      </Stack>
    </Card>
  );
}

function DeleteConnection({ connection: { id, friendlyName } }: { connection: MessagingConnection }) {
  const parley = useParley();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [isDeleting, setDeleting] = useState(false);
  const remove = async (): Promise<void> => {
    await parley.deleteMessagingConnection(id);
    toast.done(`${friendlyName} is deleted.`);
    await navigate({ to: "/messaging-connections" });
    await queryClient.invalidateQueries({ queryKey: ["messaging-connections"] });
  };
  return (
    <>
      <Button variant="default" onClick={() => setDeleting(true)}>
        Delete
      </Button>
      <ConfirmDialog
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        title={`Delete the connection ${friendlyName}?`}
        confirm="Delete connection"
        onConfirm={remove}
      >
        <Text>Its messages stay in the log. Agents must not use it any more.</Text>
      </ConfirmDialog>
    </>
  );
}
