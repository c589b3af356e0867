import { Badge } from "@mantine/core";
import type { TestAttempt, TestRun, TestSuite } from "@parley/client";

export const modeLabels: Readonly<Record<TestSuite["mode"], string>> = {
  chat: "Text, as in a call",
  voice: "Voice: real calls",
  sms: "SMS",
  web_chat: "Web chat",
};

export const modeChoices = Object.entries(modeLabels).map(([value, label]) => ({ value, label }));

const results = {
  pass: { label: "Passed", color: "house" },
  fail: { label: "Failed", color: "red" },
  error: { label: "No verdict", color: "orange" },
  cancelled: { label: "Cancelled", color: "gray" },
} as const;

/** Result of an attempt, or of a case over all its attempts. */
export function ResultBadge({
  result,
  isRunning = false,
}: {
  result: TestAttempt["result"];
  isRunning?: boolean;
}) {
  if (result === null)
    return (
      <Badge flex="none" variant="light" color={isRunning ? "blue" : "gray"}>
        {isRunning ? "Running" : "Waiting"}
      </Badge>
    );
  const { label, color } = results[result];
  return (
    <Badge flex="none" variant="light" color={color}>
      {label}
    </Badge>
  );
}

const statuses = {
  queued: { label: "Waiting", color: "gray" },
  running: { label: "Running", color: "blue" },
  completed: { label: "Completed", color: "house" },
  cancelled: { label: "Cancelled", color: "gray" },
} as const;

export function RunBadge({ run: { status, failedTests } }: { run: TestRun }) {
  const { label, color } = statuses[status];
  const hasFailed = status === "completed" && failedTests > 0;
  return (
    <Badge variant="light" color={hasFailed ? "red" : color}>
      {hasFailed ? "Failed" : status === "completed" ? "Passed" : label}
    </Badge>
  );
}

/** What a run tested: an environment, and the revision if it was published. */
export function describeTested({ environment, agentRevision, configurationRevision }: TestRun): string {
  const revision = agentRevision ?? configurationRevision;
  const suffix = revision === null ? "" : `, revision ${revision}`;
  return `${environment ?? "draft"}${suffix}`;
}
