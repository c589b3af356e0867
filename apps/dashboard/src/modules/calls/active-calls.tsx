import { Accordion, Badge, Card, Group, Stack, Text } from "@mantine/core";
import type { Call } from "@parley/client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useParley } from "../../app/session/session.tsx";
import { TextLink } from "../../ui/links.tsx";
import { DirectionIcon } from "./call-badges.tsx";
import { CallClock } from "./call-clock.tsx";
import { otherSideOf, statuses } from "./call-words.ts";
import { activeCallsQuery } from "./calls.queries.ts";
import { LiveCall } from "./live-call.tsx";

interface ActiveCallsProps {
  agentName: (agentId: string) => string;
}

/** The calls that are in progress now. One at a time opens to its growing transcript. */
export function ActiveCalls({ agentName }: ActiveCallsProps) {
  const { data: active } = useQuery(activeCallsQuery(useParley()));
  const [openId, setOpenId] = useState<string | null>(null);
  if (active === undefined || active.data.length === 0) return null;
  const hidden = active.total - active.data.length;
  return (
    <Card withBorder padding={0} mb="lg" component="section" aria-label="Active calls">
      <Group px="md" py="sm" gap="xs">
        <span className="live-dot" aria-hidden />
        <Text fw={600}>
          {active.total} active {active.total === 1 ? "call" : "calls"}
        </Text>
        {hidden > 0 && (
          <Text size="sm" c="dimmed">
            The newest {active.data.length} are shown.
          </Text>
        )}
      </Group>
      <Accordion value={openId} onChange={setOpenId} chevronPosition="left" className="active-calls">
        {active.data.map((call) => (
          <Accordion.Item key={call.id} value={call.id}>
            <Accordion.Control>
              <ActiveCall call={call} agentName={agentName} />
            </Accordion.Control>
            <Accordion.Panel>
              {openId === call.id && (
                <Stack gap="sm">
                  <LiveCall callId={call.id} />
                  <TextLink to="/calls/$callId" params={{ callId: call.id }} size="sm">
                    Open the call’s page
                  </TextLink>
                </Stack>
              )}
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
    </Card>
  );
}

function ActiveCall({ call, agentName }: { call: Call } & ActiveCallsProps) {
  return (
    <Group gap="sm" justify="space-between" wrap="nowrap">
      <Group gap="xs" wrap="nowrap">
        <DirectionIcon call={call} />
        <div>
          <Text fw={600} size="sm">
            {otherSideOf(call)}
          </Text>
          <Text size="sm" c="dimmed">
            {agentName(call.agentId)}
          </Text>
        </div>
        {call.isTest && (
          <Badge variant="default" size="xs">
            test
          </Badge>
        )}
      </Group>
      <Text size="sm" className="figures">
        {call.answeredAt === null ? statuses[call.status].label : <CallClock since={call.answeredAt} />}
      </Text>
    </Group>
  );
}
