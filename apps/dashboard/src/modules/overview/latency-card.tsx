import { Table, Text } from "@mantine/core";
import type { TurnPercentiles } from "@parley/client";
import { formatMs, latencyParts } from "../web-calls/latency.rules.ts";
import { ChartCard } from "./chart-card.tsx";

const rows = [{ name: "totalMs", label: "Time to answer" }, ...latencyParts] as const;

/** Percentiles of the time to answer and its steps. */
export function LatencyCard({ latency }: { latency: TurnPercentiles }) {
  return (
    <ChartCard title="How fast agents answer" note={`${latency.turns.toLocaleString("en")} answers`}>
      {latency.totalMs === null ? (
        <Text c="dimmed">No answer was measured yet.</Text>
      ) : (
        <Table aria-label="Percentiles of the time to answer" horizontalSpacing={4}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Step</Table.Th>
              <Table.Th ta="right">p50</Table.Th>
              <Table.Th ta="right">p95</Table.Th>
              <Table.Th ta="right" visibleFrom="xs">
                p99
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody className="figures">
            {rows.map(({ name, label }) => {
              const { p50, p95, p99 } = latency[name] ?? {};
              return (
                <Table.Tr key={name} fw={name === "totalMs" ? 600 : undefined}>
                  <Table.Td>{label}</Table.Td>
                  <Table.Td ta="right">{shown(p50)}</Table.Td>
                  <Table.Td ta="right">{shown(p95)}</Table.Td>
                  <Table.Td ta="right" visibleFrom="xs">
                    {shown(p99)}
                  </Table.Td>
                </Table.Tr>
              );
            })}
          </Table.Tbody>
        </Table>
      )}
    </ChartCard>
  );
}

function shown(ms: number | undefined): string {
  return ms === undefined ? "–" : formatMs(ms);
}
