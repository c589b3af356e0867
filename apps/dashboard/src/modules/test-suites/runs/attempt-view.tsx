import { Card, Group, Stack, Text, Title } from "@mantine/core";
import type { TestAssertionResult, TestAttempt } from "@parley/client";
import { useQuery } from "@tanstack/react-query";
import Check from "lucide-react/icons/check";
import X from "lucide-react/icons/x";
import { useParley } from "../../../app/session/session.tsx";
import { Facts } from "../../../ui/facts.tsx";
import { TextLink } from "../../../ui/links.tsx";
import { labelOf } from "../../../ui/schema-field.rules.ts";
import { describeEnd } from "../../calls/call-words.ts";
import { callQuery } from "../../calls/calls.queries.ts";
import { Recording } from "../../calls/recording.tsx";
import { TranscriptLines } from "../../calls/transcript-lines.tsx";
import { findCurrent } from "../../calls/transcript.rules.ts";
import { usePlayer } from "../../calls/use-player.ts";
import { ResultBadge } from "../test-suite-words.tsx";
import "../../calls/calls.css";

/** One conversation: the result with its reasons, the sound if it was a call, and the words with the evidence marked. */
export function AttemptView({ attempt }: { attempt: TestAttempt }) {
  const player = usePlayer();
  const { testCaseName, attemptNumber, result, startedAt, inboundCallId, transcript, evidence } = attempt;
  const { data: call } = useQuery({
    ...callQuery(useParley(), inboundCallId ?? ""),
    enabled: inboundCallId !== null,
  });
  const currentId = player.positionMs === undefined ? undefined : findCurrent(transcript, player.positionMs);
  return (
    <Stack gap="md">
      <Card withBorder padding="md" component="section" aria-label="Result">
        <Group justify="space-between" mb="xs">
          <Title order={2} size="h4">
            {testCaseName}, attempt {attemptNumber}
          </Title>
          <ResultBadge result={result} isRunning={startedAt !== null} />
        </Group>
        <Reasons attempt={attempt} />
      </Card>
      {call !== undefined && call.endedAt !== null && <Recording call={call} player={player} />}
      <Card withBorder padding="md" component="section" aria-label="Transcript">
        <Title order={2} size="h5" mb="xs">
          Transcript
        </Title>
        {transcript.length === 0 ? (
          <Text c="dimmed">
            {startedAt === null ? "The conversation has not begun." : "Nothing has been said yet."}
          </Text>
        ) : (
          <TranscriptLines
            items={transcript}
            otherRole="Tester"
            currentId={currentId}
            onSeek={call?.recordingUrl ? player.seek : undefined}
            evidence={evidence}
          />
        )}
      </Card>
    </Stack>
  );
}

function Reasons({ attempt }: { attempt: TestAttempt }) {
  const { reasoning, assertions, evidence, endReason, inboundCallId, callId, variables } = attempt;
  const isRepeated = assertions.some(({ detail }) => detail === reasoning);
  const names = Object.entries(variables).map(([name, value]) => `${name}: ${String(value)}`);
  return (
    <Stack gap="sm">
      {reasoning !== null && !isRepeated && <Text style={{ overflowWrap: "anywhere" }}>{reasoning}</Text>}
      {evidence.length > 0 && (
        <Text size="sm" c="dimmed">
          The judge&apos;s evidence is marked in the transcript.
        </Text>
      )}
      <Checks assertions={assertions} />
      <Facts
        facts={[
          ["End", endReason === null ? null : nameEnd(endReason)],
          ["Variables", names.length === 0 ? null : names.join(", ")],
          [
            "Calls",
            inboundCallId === null ? null : (
              <>
                <TextLink to="/calls/$callId" params={{ callId: inboundCallId }}>
                  of the agent
                </TextLink>
                {callId !== null && (
                  <>
                    {", "}
                    <TextLink to="/calls/$callId" params={{ callId }}>
                      of the tester
                    </TextLink>
                  </>
                )}
              </>
            ),
          ],
        ]}
      />
    </Stack>
  );
}

function nameEnd(endReason: NonNullable<TestAttempt["endReason"]>): string {
  return endReason === "turn_limit" ? "Limit of turns" : describeEnd(endReason).label;
}

function Checks({ assertions }: { assertions: readonly TestAssertionResult[] }) {
  if (assertions.length === 0) return null;
  return (
    <ul className="checks" aria-label="Assertions">
      {assertions.map(({ type, passed, detail }, index) => (
        <li key={index}>
          {passed ? (
            <Check size={18} className="passed" aria-label="Holds:" />
          ) : (
            <X size={18} className="failed" aria-label="Does not hold:" />
          )}
          <span>
            <strong>{labelOf(type)}</strong> {detail}
          </span>
        </li>
      ))}
    </ul>
  );
}
