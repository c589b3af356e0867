import {
  Anchor,
  Button,
  Card,
  Code,
  Group,
  PasswordInput,
  Stack,
  Text,
  TextInput,
  Title,
} from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { auth } from "../../app/session/auth.ts";
import { useSession } from "../../app/session/session.tsx";
import { Problem } from "../../ui/problem.tsx";
import { toast } from "../../ui/toast.ts";

interface TotpSecret {
  uri: string;
  backupCodes: string[];
}

/** Sets the authenticator app up, or stops using it. */
export function TwoFactorCard({ isEnabled }: { isEnabled: boolean }) {
  const session = useSession();
  const [password, setPassword] = useState("");
  const [secret, setSecret] = useState<TotpSecret>();
  const begin = useMutation({
    mutationFn: async () => await auth<TotpSecret>("POST", "/totp", { password }),
    onSuccess: (created) => {
      setSecret(created);
      setPassword("");
    },
  });
  const disable = useMutation({
    mutationFn: async () => await auth("POST", "/totp/disable", { password }),
    onSuccess: async () => {
      setPassword("");
      toast.done("Sign-in no longer asks for a code.");
      if (session.state === "signed-in") await session.refresh();
    },
  });
  const action = isEnabled ? disable : begin;
  return (
    <Card withBorder padding="lg">
      <Stack>
        <Title order={2} size="h4">
          Authenticator app
        </Title>
        <Text size="sm" c="dimmed">
          {isEnabled
            ? "Sign-in asks for a code of your app."
            : "With an app such as Aegis or Google Authenticator, a stolen password is not enough to sign in."}
        </Text>
        {secret !== undefined && !isEnabled ? (
          <Confirmation secret={secret} />
        ) : (
          <form
            onSubmit={(event) => {
              event.preventDefault();
              action.mutate();
            }}
          >
            <Group align="flex-end">
              <PasswordInput
                label="Your password"
                autoComplete="current-password"
                required
                miw={220}
                value={password}
                onChange={({ target }) => setPassword(target.value)}
              />
              <Button type="submit" variant="default" loading={action.isPending}>
                {isEnabled ? "Stop using it" : "Set it up"}
              </Button>
            </Group>
          </form>
        )}
        {action.error !== null && <Problem error={action.error} />}
      </Stack>
    </Card>
  );
}

function Confirmation({ secret: { uri, backupCodes } }: { secret: TotpSecret }) {
  const session = useSession();
  const [code, setCode] = useState("");
  const confirm = useMutation({
    mutationFn: async () => await auth("POST", "/totp/confirm", { code }),
    onSuccess: async () => {
      toast.done("Sign-in now asks for a code of your app.");
      if (session.state === "signed-in") await session.refresh();
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        confirm.mutate();
      }}
    >
      <Stack>
        <Text size="sm">
          1. Enter this key in your app, or <Anchor href={uri}>open the app</Anchor> on this device:
        </Text>
        <Code block>{new URL(uri).searchParams.get("secret")}</Code>
        <Text size="sm">
          2. Store these backup codes. Each one replaces a code once, if you lose the app. They are not shown
          again:
        </Text>
        <Code block>{backupCodes.join("\n")}</Code>
        <Group align="flex-end">
          <TextInput
            label="3. Code that the app shows"
            inputMode="numeric"
            autoComplete="one-time-code"
            required
            value={code}
            onChange={({ target }) => setCode(target.value.trim())}
          />
          <Button type="submit" loading={confirm.isPending}>
            Confirm
          </Button>
        </Group>
        {confirm.error !== null && <Problem error={confirm.error} />}
      </Stack>
    </form>
  );
}
