import { Card, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useParley } from "../../app/session/session.tsx";
import { TextLink } from "../../ui/links.tsx";
import { Loaded } from "../../ui/loading.tsx";
import { trunkAgentsQuery, trunkNumbersQuery } from "./sip-trunks.queries.ts";

/** The phone numbers and agents of a trunk. */
export function TrunkUsers({ trunkId }: { trunkId: string }) {
  const parley = useParley();
  const numbers = useQuery(trunkNumbersQuery(parley, trunkId));
  const agents = useQuery(trunkAgentsQuery(parley, trunkId));
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <Users title="Phone numbers">
        <Loaded query={numbers}>
          {({ data, total }) => (
            <Names
              total={total}
              names={data.map(({ id, e164 }) => (
                <Text key={id}>{e164}</Text>
              ))}
              empty="None yet: bind a number to an agent that uses this trunk."
            />
          )}
        </Loaded>
      </Users>
      <Users title="Agents">
        <Loaded query={agents}>
          {({ data, total }) => (
            <Names
              total={total}
              names={data.map(({ id, name }) => (
                <TextLink key={id} to="/agents/$agentId" params={{ agentId: id }}>
                  {name}
                </TextLink>
              ))}
              empty="None yet: choose this trunk in an agent's settings."
            />
          )}
        </Loaded>
      </Users>
    </SimpleGrid>
  );
}

function Users({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Card withBorder padding="lg" component="section" aria-label={title}>
      <Title order={2} size="h4" mb="sm">
        {title}
      </Title>
      {children}
    </Card>
  );
}

interface NamesProps {
  names: readonly ReactNode[];
  total: number;
  empty: string;
}

function Names({ names, total, empty }: NamesProps) {
  if (names.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {empty}
      </Text>
    );
  return (
    <Stack gap={4} align="flex-start">
      {names}
      {total > names.length && (
        <Text size="sm" c="dimmed">
          and {total - names.length} more
        </Text>
      )}
    </Stack>
  );
}
