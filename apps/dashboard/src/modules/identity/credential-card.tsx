import { Button, Card, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { Problem } from "../../ui/problem.tsx";
import { useTitle } from "../../ui/use-title.ts";
import "../../app/session/key-form.css";

interface CredentialCardProps {
  title: string;
  description: ReactNode;
  /** Text of the button. */
  action: string;
  isBusy: boolean;
  problem: unknown;
  onSubmit: (event?: React.FormEvent<HTMLFormElement>) => void;
  children: ReactNode;
}

/** A form of its own page, with which somebody becomes or stays a user. */
export function CredentialCard(props: CredentialCardProps) {
  const { title, description, action, isBusy, problem, onSubmit, children } = props;
  useTitle(title);
  return (
    <Card component="form" className="key-form" withBorder padding="lg" onSubmit={onSubmit} noValidate>
      <Stack>
        <Title order={1} size="h3">
          {title}
        </Title>
        <Text size="sm" c="dimmed">
          {description}
        </Text>
        {children}
        {problem !== undefined && <Problem error={problem} />}
        <Button type="submit" loading={isBusy}>
          {action}
        </Button>
      </Stack>
    </Card>
  );
}

/** A page that needs the token of a link. */
export function LinkMissing({ title, children }: { title: string; children: ReactNode }) {
  useTitle(title);
  return (
    <Card className="key-form" withBorder padding="lg">
      <Title order={1} size="h3" mb="sm">
        {title}
      </Title>
      <Text size="sm">{children}</Text>
    </Card>
  );
}

/** `undefined` if the text can be a new password. */
export function findPasswordFault(password: string): string | undefined {
  const { length } = password;
  if (length < 10) return "must have at least 10 characters";
  return length > 128 ? "must have at most 128 characters" : undefined;
}
