import { Button, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { auth } from "../../app/session/auth.ts";
import { linkedToken, useSession } from "../../app/session/session.tsx";
import { SignIn } from "../../app/session/sign-in.tsx";
import { Loaded, LoadingPage } from "../../ui/loading.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Problem } from "../../ui/problem.tsx";
import { useApiForm } from "../../ui/use-api-form.ts";
import { CredentialCard, findPasswordFault, LinkMissing } from "./credential-card.tsx";

interface InvitationDetail {
  organizationName: string;
  email: string;
  role: string;
  hasAccount: boolean;
}

/** An invited person joins: with a new account, or signed in with theirs. */
export function InvitationPage() {
  const invitation = useQuery({
    queryKey: ["invitation"],
    queryFn: async () => await auth<InvitationDetail>("POST", "/invitation", { token: linkedToken }),
    enabled: linkedToken !== undefined,
    retry: false,
    // Accepting it ends it.
    staleTime: Infinity,
  });
  if (linkedToken === undefined)
    return (
      <LinkMissing title="Invitation">This page needs the link of an invitation. Open it again.</LinkMissing>
    );
  return (
    <Loaded query={invitation} loading={<LoadingPage />}>
      {(detail) => (detail.hasAccount ? <AcceptSignedIn {...detail} /> : <AcceptAsNew {...detail} />)}
    </Loaded>
  );
}

/** Joins, and shows the organization. */
function useAccept() {
  const session = useSession();
  const navigate = useNavigate();
  return {
    accept: async (person: object) =>
      await auth("POST", "/invitation/accept", { token: linkedToken, ...person }),
    enter: async (): Promise<void> => {
      if (session.state !== "unknown") await session.refresh();
      await navigate({ to: "/" });
    },
  };
}

function AcceptAsNew({ organizationName, email, role }: InvitationDetail) {
  const { accept, enter } = useAccept();
  const { form, saving, submit, problem } = useApiForm({
    initialValues: { name: "", password: "" },
    validate: ({ name, password }) => ({
      name: name.trim() === "" ? "is required" : undefined,
      password: findPasswordFault(password),
    }),
    save: accept,
    onSaved: enter,
  });
  return (
    <CredentialCard
      title={`Join ${organizationName}`}
      description={`You are invited as ${role}. Your account will be ${email}.`}
      action="Join"
      isBusy={saving.isPending}
      problem={problem}
      onSubmit={submit}
    >
      <TextInput
        label="Your name"
        autoComplete="name"
        data-path="name"
        required
        {...form.getInputProps("name")}
      />
      <PasswordInput
        label="Password"
        description="At least 10 characters."
        autoComplete="new-password"
        data-path="password"
        required
        {...form.getInputProps("password")}
      />
    </CredentialCard>
  );
}

function AcceptSignedIn({ organizationName, email, role }: InvitationDetail) {
  const session = useSession();
  const { accept, enter } = useAccept();
  const joining = useMutation({ mutationFn: async () => await accept({}), onSuccess: enter });
  if (session.state === "unknown") return <LoadingPage />;
  if (session.state === "signed-out")
    return (
      <>
        <Text ta="center">
          You are invited to {organizationName}. Sign in as {email} to join.
        </Text>
        <SignIn session={session} />
      </>
    );
  return (
    <>
      <PageHeader title={`Join ${organizationName}`} description={`You are invited as ${role}.`} />
      <Stack align="flex-start">
        {joining.error !== null && <Problem error={joining.error} />}
        <Button loading={joining.isPending} onClick={() => joining.mutate()}>
          Join
        </Button>
      </Stack>
    </>
  );
}
