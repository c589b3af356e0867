import { Text } from "@mantine/core";
import type { CallsOfEndReason } from "@parley/client";
import { TextLink } from "../../ui/links.tsx";
import { describeEnd } from "../calls/call-words.ts";
import { ChartCard } from "./chart-card.tsx";

interface EndReasonsProps {
  endReasons: readonly CallsOfEndReason[];
  agentId: string | undefined;
}

/** How calls ended, the most frequent first. Each leads to its calls. */
export function EndReasons({ endReasons, agentId }: EndReasonsProps) {
  const most = Math.max(1, ...endReasons.map(({ calls }) => calls));
  return (
    <ChartCard title="How calls end">
      {endReasons.length === 0 ? (
        <Text c="dimmed">No call has ended yet.</Text>
      ) : (
        <ul className="bars">
          {endReasons.map(({ endReason, calls }) => {
            const { label, isOrdinary } = describeEnd(endReason);
            return (
              <li key={endReason}>
                <TextLink to="/calls" search={{ endReason, agentId }} size="sm">
                  {label}
                </TextLink>
                <span className="bar-track" aria-hidden>
                  <span
                    className={isOrdinary ? "ordinary" : "unusual"}
                    style={{ width: `${(100 * calls) / most}%` }}
                  />
                </span>
                <Text size="sm" ta="right" className="figures">
                  {calls.toLocaleString("en")}
                </Text>
              </li>
            );
          })}
        </ul>
      )}
    </ChartCard>
  );
}
