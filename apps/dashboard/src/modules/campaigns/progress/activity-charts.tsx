import "@mantine/charts/styles.layer.css";
import { AreaChart, BarChart } from "@mantine/charts";
import { SimpleGrid, VisuallyHidden } from "@mantine/core";
import type { CampaignActivity } from "@parley/client";
import { ChartCard } from "../../overview/chart-card.tsx";
import { outcomes } from "../campaign-words.ts";
import { contactOutcomeNames } from "../campaigns.routes.ts";
import { type ActivityPoint, describeInterval, toPoints } from "./progress.rules.ts";

const HEIGHT_PX = 240;

const colors: Readonly<Record<string, string>> = {
  answered: "var(--mantine-primary-color-filled)",
  voicemail: "var(--mantine-color-blue-5)",
  no_answer: "var(--unanswered-color)",
  busy: "var(--mantine-color-yellow-6)",
  failed: "var(--mantine-color-red-filled)",
  canceled: "var(--mantine-color-dimmed)",
};

interface ActivityChartsProps {
  activity: CampaignActivity;
  /** Contacts of the campaign. */
  total: number;
}

/** Attempts by outcome, and contacts that are done, over time. Screen readers get the figures as a table. */
export function ActivityCharts({ activity, total }: ActivityChartsProps) {
  const points = toPoints(activity);
  const shown = contactOutcomeNames.filter((name) => points.some((point) => Number(point[name] ?? 0) > 0));
  const shared = { h: HEIGHT_PX, data: points, dataKey: "time", tickLine: "none", gridAxis: "x" } as const;
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
      <ChartCard title="Attempts by outcome" note={`per ${describeInterval(activity.intervalSeconds)}`}>
        <div aria-hidden>
          <BarChart
            {...shared}
            type="stacked"
            withLegend
            legendProps={{ verticalAlign: "bottom" }}
            yAxisProps={{ allowDecimals: false, width: 40 }}
            barChartProps={{ accessibilityLayer: false }}
            barProps={{ isAnimationActive: false, maxBarSize: 36 }}
            series={shown.map((name) => ({
              name,
              label: outcomes[name].label,
              color: colors[name] ?? "var(--unanswered-color)",
            }))}
          />
        </div>
        <FiguresTable points={points} shown={shown} />
      </ChartCard>
      <ChartCard title="Contacts done" note={`of ${total.toLocaleString("en")}`}>
        <div aria-hidden>
          <AreaChart
            {...shared}
            curveType="stepAfter"
            withDots={points.length === 1}
            yAxisProps={{ allowDecimals: false, width: 40, domain: [0, total] }}
            areaChartProps={{ accessibilityLayer: false }}
            areaProps={{ isAnimationActive: false }}
            series={[{ name: "done", label: "Done", color: "var(--mantine-primary-color-filled)" }]}
          />
        </div>
      </ChartCard>
    </SimpleGrid>
  );
}

interface FiguresTableProps {
  points: readonly ActivityPoint[];
  shown: readonly (keyof typeof outcomes)[];
}

function FiguresTable({ points, shown }: FiguresTableProps) {
  return (
    <VisuallyHidden>
      <table>
        <caption>Attempts by outcome, and contacts done</caption>
        <thead>
          <tr>
            <th>From</th>
            {shown.map((name) => (
              <th key={name}>{outcomes[name].label}</th>
            ))}
            <th>Contacts done</th>
          </tr>
        </thead>
        <tbody>
          {points.map((point, index) => (
            <tr key={index}>
              <td>{point.time}</td>
              {shown.map((name) => (
                <td key={name}>{point[name]}</td>
              ))}
              <td>{point.done}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </VisuallyHidden>
  );
}
