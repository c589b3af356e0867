import { Group, Text, VisuallyHidden } from "@mantine/core";
import type { CallsOfDay } from "@parley/client";
import { useState } from "react";
import { startOfDay } from "../calls/calls.search.ts";
import { ChartCard } from "./chart-card.tsx";
import { type CallsOfSpan, joinDays, ticksOf } from "./overview.rules.ts";
import "./calls-chart.css";

/** Labels below the bars that fit on a phone. */
const MAX_LABELS = 7;

const shortDay = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const nameOf = ({ date }: CallsOfSpan): string => shortDay.format(startOfDay(date, 0));

/** Calls per day or span of days, answered and not. Screen readers get the figures as a table. */
export function CallsChart({ days }: { days: readonly CallsOfDay[] }) {
  const spans = joinDays(days);
  const [pointedAt, setPointedAt] = useState<CallsOfSpan>();
  const shown = pointedAt !== undefined && spans.find(({ date }) => date === pointedAt.date);
  return (
    <ChartCard
      title={spans.length < days.length ? "Calls over time" : "Calls per day"}
      {...(shown && { note: `${nameOf(shown)}: ${shown.answered} answered, ${shown.unanswered} not` })}
    >
      <div aria-hidden>
        <Bars spans={spans} onPoint={setPointedAt} />
        <Legend />
      </div>
      <Figures spans={spans} />
    </ChartCard>
  );
}

interface BarsProps {
  spans: readonly CallsOfSpan[];
  onPoint: (span: CallsOfSpan | undefined) => void;
}

/** Boxes of the page's own: they are drawn with the figures around them, without a library of charts. */
function Bars({ spans, onPoint }: BarsProps) {
  const ticks = ticksOf(Math.max(...spans.map(({ answered, unanswered }) => answered + unanswered)));
  const top = ticks.at(-1) ?? 1;
  const share = (calls: number): string => `${(100 * calls) / top}%`;
  const daysPerLabel = Math.ceil(spans.length / MAX_LABELS);
  return (
    <div className="calls-chart">
      <div className="chart-ticks">
        {ticks.map((tick) => (
          <span key={tick} style={{ bottom: share(tick) }}>
            {tick.toLocaleString("en")}
          </span>
        ))}
      </div>
      <div className="chart-bars" onPointerLeave={() => onPoint(undefined)}>
        {ticks.map((tick) => (
          <hr key={tick} style={{ bottom: share(tick) }} />
        ))}
        {spans.map((span, index) => (
          <div key={span.date} className="chart-span" onPointerEnter={() => onPoint(span)}>
            <div className="unanswered" style={{ height: share(span.unanswered) }} />
            <div className="answered" style={{ height: share(span.answered) }} />
            {index % daysPerLabel === 0 && <span>{nameOf(span)}</span>}
          </div>
        ))}
      </div>
    </div>
  );
}

function Legend() {
  return (
    <Group justify="center" gap="lg">
      <Text size="sm" className="chart-key answered">
        Answered
      </Text>
      <Text size="sm" className="chart-key unanswered">
        Not answered
      </Text>
    </Group>
  );
}

function Figures({ spans }: { spans: readonly CallsOfSpan[] }) {
  return (
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
          {spans.map((span) => (
            <tr key={span.date}>
              <td>{nameOf(span)}</td>
              <td>{span.answered}</td>
              <td>{span.unanswered}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </VisuallyHidden>
  );
}
