import { Card, Group, Stack, Table, Text, Title } from "@mantine/core";
import type { CallDetail, Turn } from "@parley/client";
import Timer from "lucide-react/icons/timer";
import { EmptyState } from "../../ui/empty-state.tsx";
import { formatMs, latencyParts, restPart, scaleOf, segmentsOf } from "../web-calls/latency.rules.ts";
import { Swatch, TurnBar } from "../web-calls/turn-bar.tsx";
import "./call-latency.css";

/** How long each answer took, from the end of the caller's speech to its first sound, and in which of its steps. */
export function CallLatency({ call: { turns, latency } }: { call: CallDetail }) {
  if (turns.length === 0)
    return (
      <Card withBorder>
        <EmptyState icon={Timer} title="No answers">
          The agent gave no answer in this call. Each answer appears here with its time.
        </EmptyState>
      </Card>
    );
  const scaleMs = scaleOf(turns);
  return (
    <Stack gap="md">
      <Card withBorder padding="md" component="section" aria-label="Time to answer">
        <Group justify="space-between" mb="sm">
          <Title order={2} size="h5">
            Time to answer
          </Title>
          {latency?.totalMs && (
            <Text size="sm" c="dimmed">
              Half within {formatMs(latency.totalMs.p50)}, 95 % within {formatMs(latency.totalMs.p95)}
            </Text>
          )}
        </Group>
        <Legend turns={turns} />
        <ol className="turn-bars">
          {turns.map((turn, index) => (
            <Answer key={turn.id} turn={turn} number={index + 1} scaleMs={scaleMs} />
          ))}
        </ol>
      </Card>
      {latency !== null && <Percentiles latency={latency} />}
    </Stack>
  );
}

/** Names the colors that occur. */
function Legend({ turns }: { turns: readonly Turn[] }) {
  const used = new Set(turns.flatMap((turn) => segmentsOf(turn).map(({ label }) => label)));
  const parts = [...latencyParts, restPart].filter(({ label }) => used.has(label));
  return (
    <Group gap="md" mb="sm">
      {parts.map(({ label, color }) => (
        <Group key={label} gap={6}>
          <Swatch color={color} />
          <Text size="xs" c="dimmed">
            {label}
          </Text>
        </Group>
      ))}
    </Group>
  );
}

function Answer({ turn, number, scaleMs }: { turn: Turn; number: number; scaleMs: number }) {
  const segments = segmentsOf(turn);
  return (
    <li>
      <Group justify="space-between" gap="xs">
        <Text size="sm" fw={600}>
          Answer {number}
        </Text>
        <Text size="sm" className="figures">
          {turn.totalMs === null ? "not measured" : formatMs(turn.totalMs)}
        </Text>
      </Group>
      <TurnBar segments={segments} scaleMs={scaleMs} />
      <Text size="xs" c="dimmed">
        {segments.map(({ label, ms }) => `${label} ${formatMs(ms)}`).join(" + ")}
      </Text>
    </li>
  );
}

function Percentiles({ latency }: { latency: NonNullable<CallDetail["latency"]> }) {
  const rows = [...latencyParts, { name: "totalMs", label: "Total" } as const];
  return (
    <Card withBorder padding={0}>
      <Table aria-label="Percentiles of the call" horizontalSpacing="md">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Step</Table.Th>
            <Table.Th ta="right">Half within</Table.Th>
            <Table.Th ta="right">95 % within</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ name, label }) => {
            const measured = latency[name];
            return (
              <Table.Tr key={name} fw={name === "totalMs" ? 600 : undefined}>
                <Table.Td>{label}</Table.Td>
                <Table.Td ta="right">{measured === null ? "–" : formatMs(measured.p50)}</Table.Td>
                <Table.Td ta="right">{measured === null ? "–" : formatMs(measured.p95)}</Table.Td>
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </Card>
  );
}
