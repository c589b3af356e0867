import {
  Alert,
  Anchor,
  Button,
  Card,
  Checkbox,
  PasswordInput,
  Stack,
  Text,
  TextInput,
  Title,
} from "@mantine/core";
import type { SignInResult } from "@parley/contract";
import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { LoadingPage } from "../../ui/loading.tsx";
import { Problem } from "../../ui/problem.tsx";
import { useTitle } from "../../ui/use-title.ts";
import { auth, type AuthSettings } from "./auth.ts";
import { KeyForm } from "./key-form.tsx";
import type { SignedOut } from "./session.tsx";
import "./key-form.css";

/** E-mail and password, then a code if the account asks for one; or an API key. */
export function SignIn({ session }: { session: SignedOut }) {
  const settings = useQuery({
    queryKey: ["auth-settings"],
    queryFn: async () => await auth<AuthSettings>("GET", "/settings"),
  });
  const [isKeyChosen, setKeyChosen] = useState(false);
  const [isCodeRequired, setCodeRequired] = useState(false);
  if (settings.data === undefined)
    return settings.error === null ? <LoadingPage /> : <KeyForm session={session} />;
  const { hasOwner, canSendMail } = settings.data;
  if (!hasOwner || isKeyChosen)
    return (
      <>
        {!hasOwner && (
          <Alert className="key-form" variant="light">
            This installation has no owner yet. Open the link to sign up that the server printed at its start,
            or use an API key.
          </Alert>
        )}
        <KeyForm session={session} />
        {hasOwner && (
          <Text ta="center" mt="md" size="sm">
            <Anchor component="button" type="button" onClick={() => setKeyChosen(false)}>
              Sign in with e-mail and password
            </Anchor>
          </Text>
        )}
      </>
    );
  if (isCodeRequired) return <CodeForm session={session} onCancel={() => setCodeRequired(false)} />;
  return (
    <>
      <PasswordForm
        session={session}
        canSendMail={canSendMail}
        onCodeRequired={() => setCodeRequired(true)}
      />
      <Text ta="center" mt="md" size="sm">
        <Anchor component="button" type="button" onClick={() => setKeyChosen(true)}>
          Use an API key instead
        </Anchor>
      </Text>
    </>
  );
}

interface PasswordFormProps {
  session: SignedOut;
  canSendMail: boolean;
  onCodeRequired: () => void;
}

function PasswordForm({ session, canSendMail, onCodeRequired }: PasswordFormProps) {
  useTitle("Sign in");
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [rememberMe, setRememberMe] = useState(true);
  const signIn = useMutation({
    mutationFn: async () => await auth<SignInResult>("POST", "/sign-in", { email, password, rememberMe }),
    onSuccess: async ({ isTwoFactorRequired }) => {
      if (isTwoFactorRequired) onCodeRequired();
      else await session.refresh();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    signIn.mutate();
  };
  return (
    <Card component="form" className="key-form" withBorder padding="lg" onSubmit={submit}>
      <Stack>
        <Title order={1} size="h3">
          Sign in
        </Title>
        <TextInput
          label="E-mail"
          type="email"
          autoComplete="username"
          required
          value={email}
          onChange={({ target }) => setEmail(target.value)}
        />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          required
          value={password}
          onChange={({ target }) => setPassword(target.value)}
        />
        <Checkbox
          label="Stay signed in on this device"
          checked={rememberMe}
          onChange={({ target }) => setRememberMe(target.checked)}
        />
        {signIn.error === null ? (
          session.problem !== undefined && <Problem error={session.problem} />
        ) : (
          <Problem error={signIn.error} />
        )}
        <Button type="submit" loading={signIn.isPending}>
          Sign in
        </Button>
        <ForgottenPassword email={email} canSendMail={canSendMail} />
      </Stack>
    </Card>
  );
}

function ForgottenPassword({ email, canSendMail }: { email: string; canSendMail: boolean }) {
  const request = useMutation({
    mutationFn: async () => await auth("POST", "/password-reset/request", { email }),
  });
  return (
    <details>
      <summary>Forgot your password?</summary>
      <Stack mt="xs" align="flex-start" gap="xs">
        <Text size="sm" c="dimmed">
          {canSendMail
            ? "Enter your e-mail address above. If it has an account, a link to choose a new password is sent to it."
            : "This server sends no e-mail. Its operator can make you a link to choose a new password."}
        </Text>
        {canSendMail && (
          <Button
            size="xs"
            variant="default"
            disabled={email === ""}
            loading={request.isPending}
            onClick={() => request.mutate()}
          >
            Send me a link
          </Button>
        )}
        {request.isSuccess && (
          <Text size="sm" role="status">
            If {email} has an account, the link is on its way. It is valid for an hour.
          </Text>
        )}
        {request.error !== null && <Problem error={request.error} />}
      </Stack>
    </details>
  );
}

function CodeForm({ session, onCancel }: { session: SignedOut; onCancel: () => void }) {
  useTitle("Enter your code");
  const [code, setCode] = useState("");
  const [isBackup, setBackup] = useState(false);
  const [isDeviceTrusted, setDeviceTrusted] = useState(false);
  const check = useMutation({
    mutationFn: async () =>
      await auth("POST", isBackup ? "/sign-in/backup-code" : "/sign-in/totp", { code, isDeviceTrusted }),
    onSuccess: async () => await session.refresh(),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    check.mutate();
  };
  return (
    <Card component="form" className="key-form" withBorder padding="lg" onSubmit={submit}>
      <Stack>
        <Title order={1} size="h3">
          Enter your code
        </Title>
        <TextInput
          label={isBackup ? "Backup code" : "Code of your authenticator app"}
          autoComplete="one-time-code"
          inputMode={isBackup ? "text" : "numeric"}
          required
          data-autofocus
          value={code}
          onChange={({ target }) => setCode(target.value.trim())}
        />
        <Checkbox
          label="Do not ask on this device for 30 days"
          checked={isDeviceTrusted}
          onChange={({ target }) => setDeviceTrusted(target.checked)}
        />
        {check.error !== null && <Problem error={check.error} />}
        <Button type="submit" loading={check.isPending}>
          Continue
        </Button>
        <Anchor component="button" type="button" size="sm" onClick={() => setBackup(!isBackup)}>
          {isBackup ? "Use the authenticator app" : "Use a backup code"}
        </Anchor>
        <Anchor component="button" type="button" size="sm" onClick={onCancel}>
          Back to the password
        </Anchor>
      </Stack>
    </Card>
  );
}
