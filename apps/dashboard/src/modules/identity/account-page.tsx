import { Button, Card, Group, PasswordInput, Stack, Text, TextInput, Title } from "@mantine/core";
import type { CurrentSession, Session } from "@parley/contract";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { auth } from "../../app/session/auth.ts";
import { useIdentity, useSession } from "../../app/session/session.tsx";
import { formatDateTime } from "../../ui/format.ts";
import { Loaded } from "../../ui/loading.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Problem } from "../../ui/problem.tsx";
import { toast } from "../../ui/toast.ts";
import { useApiForm } from "../../ui/use-api-form.ts";
import { findPasswordFault } from "./credential-card.tsx";
import { TwoFactorCard } from "./two-factor-card.tsx";

/** Name, password, authenticator app and sessions of the user. */
export function AccountPage() {
  const identity = useIdentity();
  if (identity === undefined)
    return (
      <PageHeader
        title="Your account"
        description="You are signed in with an API key, which has no account. Sign in with e-mail and password to see yours."
      />
    );
  return (
    <>
      <PageHeader title="Your account" description={identity.user.email} />
      <Stack maw={720}>
        <NameCard identity={identity} />
        <PasswordCard />
        <TwoFactorCard isEnabled={identity.user.isTwoFactorEnabled} />
        <SessionsCard />
      </Stack>
    </>
  );
}

function NameCard({ identity }: { identity: CurrentSession }) {
  const session = useSession();
  const { form, saving, submit, problem } = useApiForm({
    initialValues: { name: identity.user.name },
    save: async (values) => await auth("PATCH", "/user", values),
    onSaved: async () => {
      toast.done("Your name is changed.");
      if (session.state === "signed-in") await session.refresh();
    },
  });
  return (
    <Card component="form" withBorder padding="lg" onSubmit={submit}>
      <Stack>
        <TextInput
          label="Name"
          description="Shown in version histories and in the audit log."
          autoComplete="name"
          data-path="name"
          required
          {...form.getInputProps("name")}
        />
        {problem !== undefined && <Problem error={problem} />}
        <Group justify="flex-end">
          <Button type="submit" variant="default" loading={saving.isPending} disabled={!form.isDirty()}>
            Save
          </Button>
        </Group>
      </Stack>
    </Card>
  );
}

function PasswordCard() {
  const { form, saving, submit, problem } = useApiForm({
    initialValues: { currentPassword: "", newPassword: "" },
    validate: ({ newPassword }) => ({ newPassword: findPasswordFault(newPassword) }),
    save: async (values) => await auth("POST", "/password", values),
    onSaved: () => {
      form.reset();
      toast.done("Your password is changed. Other devices are signed out.");
    },
  });
  // The API names the field by what it asks for.
  const wrongPassword = form.errors["password"];
  return (
    <Card component="form" withBorder padding="lg" onSubmit={submit} noValidate>
      <Stack>
        <Title order={2} size="h4">
          Password
        </Title>
        <PasswordInput
          label="Current password"
          autoComplete="current-password"
          required
          {...form.getInputProps("currentPassword")}
          error={wrongPassword}
        />
        <PasswordInput
          label="New password"
          description="At least 10 characters."
          autoComplete="new-password"
          data-path="newPassword"
          required
          {...form.getInputProps("newPassword")}
        />
        {problem !== undefined && <Problem error={problem} />}
        <Group justify="flex-end">
          <Button type="submit" variant="default" loading={saving.isPending}>
            Change password
          </Button>
        </Group>
      </Stack>
    </Card>
  );
}

function SessionsCard() {
  const session = useSession();
  const sessions = useQuery({
    queryKey: ["sessions"],
    queryFn: async () => await auth<Session[]>("GET", "/sessions"),
  });
  const endAll = useMutation({
    mutationFn: async () => await auth("DELETE", "/sessions"),
    onSuccess: async () => {
      if (session.state === "signed-in") await session.refresh();
    },
    onError: (error) => toast.failed(error),
  });
  return (
    <Card withBorder padding="lg">
      <Stack>
        <Title order={2} size="h4">
          Where you are signed in
        </Title>
        <Loaded query={sessions}>
          {(list) => list.map((each) => <SessionRow key={each.id} session={each} />)}
        </Loaded>
        <Group justify="flex-end">
          <Button variant="default" color="red" loading={endAll.isPending} onClick={() => endAll.mutate()}>
            Sign out everywhere
          </Button>
        </Group>
      </Stack>
    </Card>
  );
}

function SessionRow({ session: { id, isCurrent, userAgent, ipAddress, createdAt } }: { session: Session }) {
  const queryClient = useQueryClient();
  const end = useMutation({
    mutationFn: async () => await auth("DELETE", `/sessions/${id}`),
    onSuccess: async () => await queryClient.invalidateQueries({ queryKey: ["sessions"] }),
    onError: (error) => toast.failed(error),
  });
  return (
    <Group justify="space-between" wrap="nowrap">
      <div>
        <Text size="sm" fw={600}>
          {isCurrent ? "This browser" : (userAgent ?? "Unknown browser")}
        </Text>
        <Text size="sm" c="dimmed">
          {ipAddress ?? "unknown address"}, since {formatDateTime(createdAt)}
        </Text>
      </div>
      {!isCurrent && (
        <Button size="xs" variant="default" flex="none" loading={end.isPending} onClick={() => end.mutate()}>
          Sign out
        </Button>
      )}
    </Group>
  );
}
