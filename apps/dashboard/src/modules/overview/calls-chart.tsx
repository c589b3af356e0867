import "@mantine/charts/styles.layer.css";
import { BarChart } from "@mantine/charts";
import { VisuallyHidden } from "@mantine/core";
import type { CallsOfDay } from "@parley/client";
import { startOfDay } from "../calls/calls.search.ts";
import { ChartCard } from "./chart-card.tsx";
import { joinDays } from "./overview.rules.ts";

const HEIGHT_PX = 260;

const shortDay = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });

/** Calls per day or span of days, answered and not. Screen readers get the figures as a table. */
export function CallsChart({ days }: { days: readonly CallsOfDay[] }) {
  const spans = joinDays(days).map(({ date, ...counts }) => ({
    day: shortDay.format(startOfDay(date, 0)),
    ...counts,
  }));
  const isJoined = spans.length < days.length;
  return (
    <ChartCard title={isJoined ? "Calls over time" : "Calls per day"}>
      <div aria-hidden>
        <BarChart
          h={HEIGHT_PX}
          data={spans}
          dataKey="day"
          type="stacked"
          withLegend
          legendProps={{ verticalAlign: "bottom" }}
          gridAxis="x"
          tickLine="none"
          yAxisProps={{ allowDecimals: false, width: 40 }}
          barChartProps={{ accessibilityLayer: false }}
          barProps={{ isAnimationActive: false, maxBarSize: 36 }}
          series={[
            { name: "answered", label: "Answered", color: "var(--mantine-primary-color-filled)" },
            { name: "unanswered", label: "Not answered", color: "var(--unanswered-color)" },
          ]}
        />
      </div>
      <VisuallyHidden>
        <table>
          <caption>Calls and answered calls</caption>
          <thead>
            <tr>
              <th>From day</th>
              <th>Answered</th>
              <th>Not answered</th>
            </tr>
          </thead>
          <tbody>
            {spans.map(({ day, answered, unanswered }) => (
              <tr key={day}>
                <td>{day}</td>
                <td>{answered}</td>
                <td>{unanswered}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </VisuallyHidden>
    </ChartCard>
  );
}
