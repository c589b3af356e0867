import { CloseButton, Group, SegmentedControl, Text, Title } from "@mantine/core";
import type { Agent, CallDetail, TestCallCreate } from "@parley/client";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useParley } from "../../app/session/session.tsx";
import { formatDateTime } from "../../ui/format.ts";
import { Loaded } from "../../ui/loading.tsx";
import { callQuery } from "../calls/calls.queries.ts";
import { TestChat } from "../test-chats/test-chat.tsx";
import { TestCall } from "../web-calls/test-call.tsx";

const PRODUCTION = "production";

interface TestPanelProps {
  agent: Agent;
  /** An earlier call whose environment and variables are used again. */
  rerunOf: string | undefined;
  onClose: () => void;
}

/** A call with the agent, beside its settings. It goes on while they are changed. */
export function TestPanel({ agent, rerunOf, onClose }: TestPanelProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <section className="test-panel" aria-labelledby="test-panel-title">
      <Group justify="space-between" mb="xs">
        <Title ref={heading} order={2} size="h4" id="test-panel-title" tabIndex={-1}>
          Test
        </Title>
        <CloseButton aria-label="Close the test" onClick={onClose} />
      </Group>
      {rerunOf === undefined ? <TestByChoice agent={agent} /> : <Rerun agent={agent} callId={rerunOf} />}
    </section>
  );
}

const ways = [
  { value: "talk", label: "Talk" },
  { value: "write", label: "Write" },
];

/** By voice or by text. The choice is shown before a conversation and after it. */
function TestByChoice({ agent }: { agent: Agent }) {
  const parley = useParley();
  const [way, setWay] = useState("talk");
  const choice = (
    <SegmentedControl aria-label="How to test" fullWidth data={ways} value={way} onChange={setWay} />
  );
  const Test = way === "talk" ? TestCall : TestChat;
  return (
    <Test parley={parley} agent={agent}>
      {choice}
    </Test>
  );
}

function Rerun({ agent, callId }: { agent: Agent; callId: string }) {
  const parley = useParley();
  const call = useQuery(callQuery(parley, callId));
  return (
    <Loaded query={call}>
      {(earlier) => (
        <>
          <Text size="sm" c="dimmed" mb="xs">
            With the environment and the variables of the call of {formatDateTime(earlier.createdAt)}.
          </Text>
          <TestCall parley={parley} agent={agent} initial={settingsOf(earlier)} />
        </>
      )}
    </Loaded>
  );
}

/** Without an environment, a test ran the draft and every other call production. */
function settingsOf({ environment, isTest, variables }: CallDetail): TestCallCreate {
  return { environment: environment ?? (isTest ? null : PRODUCTION), variables };
}
