import { PasswordInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { auth } from "../../app/session/auth.ts";
import { linkedToken, useSession } from "../../app/session/session.tsx";
import { toast } from "../../ui/toast.ts";
import { useApiForm } from "../../ui/use-api-form.ts";
import { CredentialCard, findPasswordFault, LinkMissing } from "./credential-card.tsx";

export function PasswordResetPage() {
  const session = useSession();
  const navigate = useNavigate();
  const { form, saving, submit, problem } = useApiForm({
    initialValues: { password: "" },
    validate: ({ password }) => ({ password: findPasswordFault(password) }),
    save: async ({ password }) => await auth("POST", "/password-reset", { token: linkedToken, password }),
    onSaved: async () => {
      toast.done("Your password is changed. Sign in with it.");
      if (session.state !== "unknown") await session.refresh();
      await navigate({ to: "/sign-in" });
    },
  });
  if (linkedToken === undefined)
    return (
      <LinkMissing title="Choose a new password">
        This page needs the link of the e-mail about your forgotten password. Request one on the sign-in page.
      </LinkMissing>
    );
  return (
    <CredentialCard
      title="Choose a new password"
      description="You are then signed out on all devices."
      action="Change password"
      isBusy={saving.isPending}
      problem={problem ?? (form.errors["token"] === undefined ? undefined : saving.error)}
      onSubmit={submit}
    >
      <PasswordInput
        label="New password"
        description="At least 10 characters."
        autoComplete="new-password"
        data-path="password"
        required
        {...form.getInputProps("password")}
      />
    </CredentialCard>
  );
}
