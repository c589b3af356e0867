import { Stack, Text } from "@mantine/core";
import { formatDateTime } from "../../../ui/format.ts";
import { Facts } from "../../../ui/facts.tsx";
import { describePace, outcomes } from "../campaign-words.ts";
import type { CampaignValues } from "./campaign-values.rules.ts";
import { WeekDrawing } from "./week-window.tsx";
import { describeHours } from "./window.rules.ts";

interface CampaignFactsProps {
  values: CampaignValues;
  agentName: string;
}

/** The settings of a campaign, to be read. */
export function CampaignFacts({ values, agentName }: CampaignFactsProps) {
  const { callingWindow, isWindowed, retryPolicy, startAt, defaultVariables } = values;
  const variables = Object.entries(defaultVariables);
  const retried = retryPolicy.retryOn.map((outcome) => labelOf(outcome)).join(", ");
  const isRepeated = retryPolicy.maxAttempts > 1 && retried !== "";
  return (
    <Stack gap="md">
      <Facts
        facts={[
          ["Agent", agentName],
          ["Caller ID", values.fromNumber],
          ["Environment", values.environment],
          ["Not before", startAt === "" ? null : formatDateTime(startAt)],
          ["Calls at once", values.maxConcurrency],
          ["Pace", describePace(values.callsPerSecond)],
          [
            "Attempts",
            isRepeated
              ? `${retryPolicy.maxAttempts} at most, ${retryPolicy.retryDelayMinutes} minutes apart, after: ${retried}`
              : "1 per contact",
          ],
          [
            "Variables",
            variables.length === 0
              ? null
              : variables.map(([name, value]) => `${name}: ${String(value)}`).join(", "),
          ],
          ["Calling window", isWindowed ? describeHours(callingWindow) : "At any time"],
          ["Time zone", isWindowed ? `${callingWindow.timezone}, for contacts without one` : null],
        ]}
      />
      {isWindowed ? <WeekDrawing value={callingWindow} /> : <Text size="sm">Nights are included.</Text>}
    </Stack>
  );
}

function labelOf(outcome: string): string {
  const words: Readonly<Record<string, { label: string }>> = outcomes;
  return words[outcome]?.label ?? outcome;
}
