import { PasswordInput, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { auth } from "../../app/session/auth.ts";
import { linkedToken, useSession } from "../../app/session/session.tsx";
import { useApiForm } from "../../ui/use-api-form.ts";
import { CredentialCard, findPasswordFault, LinkMissing } from "./credential-card.tsx";

const isMissing = (text: string): string | undefined => (text.trim() === "" ? "is required" : undefined);

/** The owner of a new installation signs up, with the link that the server printed. */
export function SignUpPage() {
  if (linkedToken === undefined)
    return (
      <LinkMissing title="Sign up">
        To sign up as the owner, open the link that the server printed at its start. Everybody else needs an
        invitation.
      </LinkMissing>
    );
  return <SignUpForm />;
}

function SignUpForm() {
  const session = useSession();
  const navigate = useNavigate();
  const { form, saving, submit, problem } = useApiForm({
    initialValues: { organizationName: "", name: "", email: "", password: "" },
    validate: ({ organizationName, name, email, password }) => ({
      organizationName: isMissing(organizationName),
      name: isMissing(name),
      email: isMissing(email),
      password: findPasswordFault(password),
    }),
    save: async (values) => await auth("POST", "/sign-up", { ...values, token: linkedToken }),
    onSaved: async () => {
      if (session.state !== "unknown") await session.refresh();
      await navigate({ to: "/" });
    },
  });
  return (
    <CredentialCard
      title="Welcome to Parley"
      description="You become the owner of this installation. Others join by your invitation."
      action="Sign up"
      isBusy={saving.isPending}
      problem={problem}
      onSubmit={submit}
    >
      <TextInput
        label="Organization"
        autoComplete="organization"
        data-path="organizationName"
        required
        {...form.getInputProps("organizationName")}
      />
      <TextInput
        label="Your name"
        autoComplete="name"
        data-path="name"
        required
        {...form.getInputProps("name")}
      />
      <TextInput
        label="E-mail"
        type="email"
        autoComplete="username"
        data-path="email"
        required
        {...form.getInputProps("email")}
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
