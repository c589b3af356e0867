import { Card, Text, Title } from "@mantine/core";
import type { CallDetail } from "@parley/client";
import { formatDateTime } from "../../ui/format.ts";

type Failure = CallDetail["providerFailures"][number];

const parts = { stt: "Recognition", llm: "Language model", tts: "Voice" } as const;

/** The failures of providers during a call or a conversation by text, with what took over; nothing if there were none. */
export function ProviderFailures({ failures }: { failures: readonly Failure[] }) {
  if (failures.length === 0) return null;
  return (
    <Card withBorder padding="md" component="section" aria-label="Provider failures">
      <Title order={2} size="h5" mb="xs">
        Provider failures
      </Title>
      <ul className="provider-failures">
        {failures.map((failure) => (
          <li key={failure.id}>
            <Text size="sm" fw={600}>
              {parts[failure.part]}: {failure.provider}
            </Text>
            <Text size="sm" className="end-detail">
              {failure.message}
            </Text>
            <Text size="sm" c="dimmed">
              {formatDateTime(failure.at)} · {describeSuccessor(failure)}
            </Text>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function describeSuccessor({ provider, takenOverBy }: Failure): string {
  if (takenOverBy === null) return "nothing was left to take over";
  return takenOverBy === provider ? "it was asked again" : `${takenOverBy} took over`;
}
