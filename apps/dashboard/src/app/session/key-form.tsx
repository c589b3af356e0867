import { Button, Card, Code, PasswordInput, Stack, Text, Title } from "@mantine/core";
import { Parley } from "@parley/client";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { TextLink } from "../../ui/links.tsx";
import { Problem } from "../../ui/problem.tsx";
import { useTitle } from "../../ui/use-title.ts";
import { apiUrl, explainKeyError, type SignedOut } from "./session.tsx";
import "./key-form.css";

/** Asks for an API key and tries it. */
export function KeyForm({ session }: { session: SignedOut }) {
  useTitle("Sign in");
  const [apiKey, setApiKey] = useState("");
  const check = useMutation({
    mutationFn: async () => await new Parley({ baseUrl: apiUrl, apiKey }).getOrganization(),
    onSuccess: () => session.signInWithKey(apiKey),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    check.mutate();
  };
  return (
    <Card component="form" className="key-form" withBorder padding="lg" onSubmit={submit}>
      <Stack>
        <Title order={1} size="h3">
          Your API key
        </Title>
        <Text size="sm" c="dimmed">
          The key opens the dashboard of its organization. It is stored in this tab until you close it.
        </Text>
        <details>
          <summary>Where do I get a key?</summary>
          <Text size="sm" c="dimmed" mt="xs">
            The server prints a key and a link to this page at its first start. With a key you can create
            more: <Code>POST /v1/api-keys</Code> (see the <TextLink to="/docs">API reference</TextLink>). If
            all keys are lost, set <Code>PARLEY_BOOTSTRAP_API_KEY</Code> to a new key and restart the server.
          </Text>
        </details>
        <PasswordInput
          label="API key"
          autoComplete="off"
          spellCheck={false}
          required
          value={apiKey}
          onChange={({ target }) => setApiKey(target.value.trim())}
        />
        {check.error === null ? (
          session.problem !== undefined && <Problem error={session.problem} />
        ) : (
          <Problem error={explainKeyError(check.error)} />
        )}
        <Button type="submit" loading={check.isPending}>
          Continue
        </Button>
      </Stack>
    </Card>
  );
}
