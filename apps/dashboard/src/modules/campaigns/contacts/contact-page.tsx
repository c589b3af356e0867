import { Card, Group, SimpleGrid, Stack, Table, Text, Title } from "@mantine/core";
import type { CampaignContactDetail } from "@parley/client";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useParley } from "../../../app/session/session.tsx";
import { formatDateTime } from "../../../ui/format.ts";
import { TextLink } from "../../../ui/links.tsx";
import { Loaded } from "../../../ui/loading.tsx";
import { Facts } from "../../../ui/facts.tsx";
import { CallStatusBadge } from "../../calls/call-badges.tsx";
import { describeEnd, formatSeconds, talkSecondsOf } from "../../calls/call-words.ts";
import { outcomes } from "../campaign-words.ts";
import { contactQuery } from "../campaigns.queries.ts";
import { ContactStatusBadge } from "./contacts-tab.tsx";

const route = getRouteApi("/shell/in/campaigns/$campaignId/contacts/$contactId");

/** One contact: its variables, and every attempt with its call. */
export function ContactPage() {
  const { campaignId, contactId } = route.useParams();
  const contact = useQuery(contactQuery(useParley(), campaignId, contactId));
  return (
    <Loaded query={contact}>
      {(loaded) => (
        <Stack gap="md">
          <Group gap="sm">
            <Title order={2} size="h4">
              {loaded.toNumber}
            </Title>
            <ContactStatusBadge contact={loaded} />
          </Group>
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
            <Card withBorder padding="md" component="section" aria-label="Details">
              <Facts facts={factsOf(loaded)} />
            </Card>
            <Card withBorder padding="md" component="section" aria-label="Variables">
              <Variables contact={loaded} />
            </Card>
          </SimpleGrid>
          <Calls contact={loaded} />
          <TextLink to="/campaigns/$campaignId/contacts" params={{ campaignId }} size="sm">
            All contacts
          </TextLink>
        </Stack>
      )}
    </Loaded>
  );
}

function factsOf({ outcome, attempts, lastAttemptAt, nextAttemptAt, timezone }: CampaignContactDetail) {
  return [
    ["Outcome", outcome && outcomes[outcome].label],
    ["Attempts", attempts],
    ["Last attempt", lastAttemptAt && formatDateTime(lastAttemptAt)],
    ["Next attempt", nextAttemptAt && formatDateTime(nextAttemptAt)],
    ["Time zone", timezone ?? "that of the calling window"],
  ] as const;
}

function Variables({ contact }: { contact: CampaignContactDetail }) {
  const variables = Object.entries(contact.variables);
  if (variables.length === 0) return <Text c="dimmed">The contact has no variables of its own.</Text>;
  return <Facts facts={variables.map(([name, value]) => [name, value === null ? "null" : String(value)])} />;
}

function Calls({ contact: { calls } }: { contact: CampaignContactDetail }) {
  if (calls.length === 0) return <Text c="dimmed">There is no call to this contact yet.</Text>;
  return (
    <Card withBorder padding={0}>
      <Table.ScrollContainer minWidth={0}>
        <Table aria-label="Calls to this contact" verticalSpacing="sm" horizontalSpacing="md">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Call</Table.Th>
              <Table.Th>Status</Table.Th>
              <Table.Th visibleFrom="sm">End</Table.Th>
              <Table.Th ta="right" visibleFrom="xs">
                Duration
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {calls.map((call) => {
              const seconds = talkSecondsOf(call, Date.parse(call.endedAt ?? call.createdAt));
              return (
                <Table.Tr key={call.id}>
                  <Table.Td>
                    <TextLink to="/calls/$callId" params={{ callId: call.id }} fw={600}>
                      {formatDateTime(call.createdAt)}
                    </TextLink>
                  </Table.Td>
                  <Table.Td>
                    <CallStatusBadge call={call} />
                  </Table.Td>
                  <Table.Td visibleFrom="sm">
                    {call.endReason === null ? "" : describeEnd(call.endReason).label}
                    {call.endDetail !== null && (
                      <Text size="xs" c="dimmed">
                        {call.endDetail}
                      </Text>
                    )}
                  </Table.Td>
                  <Table.Td ta="right" visibleFrom="xs">
                    {seconds === undefined ? "–" : formatSeconds(seconds)}
                  </Table.Td>
                </Table.Tr>
              );
            })}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Card>
  );
}
