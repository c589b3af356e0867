import { Card, Code, Stack, Title } from "@mantine/core";
import type { CallDetail } from "@parley/client";
import { type Fact, Facts } from "../../ui/facts.tsx";
import { formatDateTime } from "../../ui/format.ts";
import { TextLink } from "../../ui/links.tsx";
import { describeEnd, formatSeconds, talkSecondsOf } from "./call-words.ts";
import { ProviderFailures } from "./provider-failures.tsx";

/** What the record says about a call. */
export function CallFacts({ call }: { call: CallDetail }) {
  const variables = Object.entries(call.variables);
  return (
    <Stack gap="md">
      <Card withBorder padding="md" component="section" aria-label="Details">
        <Title order={2} size="h5" mb="xs">
          Details
        </Title>
        <Facts facts={factsOf(call)} />
      </Card>
      <ProviderFailures failures={call.providerFailures} />
      {variables.length > 0 && (
        <Card withBorder padding="md" component="section" aria-label="Variables">
          <Title order={2} size="h5" mb="xs">
            Variables
          </Title>
          <Facts facts={variables.map(([name, value]) => [name, value === null ? "null" : String(value)])} />
        </Card>
      )}
    </Stack>
  );
}

function factsOf(call: CallDetail): Fact[] {
  const seconds = talkSecondsOf(call, Date.parse(call.endedAt ?? call.createdAt));
  const end = call.endReason === null ? null : describeEnd(call.endReason).sentence;
  return [
    ["End", end && [end, call.endDetail].filter((part) => part !== null).join(" ")],
    ["Duration", seconds === undefined ? "Not answered" : formatSeconds(seconds)],
    ["Billable", call.billableSeconds > 0 ? `${call.billableSeconds} s` : null],
    ["From", call.fromNumber],
    ["To", call.toNumber],
    ["Started", formatDateTime(call.startedAt ?? call.createdAt)],
    ["Answered", call.answeredAt && formatDateTime(call.answeredAt)],
    ["Ended", call.endedAt && formatDateTime(call.endedAt)],
    ["Environment", call.environment ?? (call.isTest ? null : "production")],
    ["Agent’s revision", call.configurationRevision],
    [
      "Campaign",
      call.campaignId && (
        <TextLink to="/campaigns/$campaignId" params={{ campaignId: call.campaignId }} inherit>
          Open the campaign
        </TextLink>
      ),
    ],
    ["Language model", call.llmName],
    ["Recognition", call.sttName],
    ["Voice", call.ttsName],
    ["Call", <Code key="call">{call.id}</Code>],
  ];
}
