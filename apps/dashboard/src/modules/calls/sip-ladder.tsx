import { Card, Code, Group, Text, Title, UnstyledButton, VisuallyHidden } from "@mantine/core";
import type { SipMessage } from "@parley/client";
import { useMemo, useState } from "react";
import { ladderOf, type LadderStep } from "./sip-ladder.rules.ts";
import "./sip-ladder.css";

/** Arrows between the peer at the left and Parley at the right, in order. An arrow opens its message. */
export function SipLadder({ messages }: { messages: readonly SipMessage[] }) {
  const steps = useMemo(() => ladderOf(messages), [messages]);
  const [openIndex, setOpenIndex] = useState<number>();
  const peer = messages[0]?.peer;
  return (
    <Card withBorder padding="md" component="section" aria-label="SIP messages">
      <Title order={2} size="h5" mb="sm">
        SIP messages
      </Title>
      <div className="ladder-ends" aria-hidden>
        <Text size="sm" fw={600}>
          {peer === undefined ? "Peer" : `${peer.address}:${peer.port}`}
        </Text>
        <Text size="sm" fw={600}>
          Parley
        </Text>
      </div>
      <ol className="ladder">
        {steps.map((step) => (
          <li key={step.index}>
            <UnstyledButton
              className={`ladder-step ${step.isSent ? "sent" : "received"} ${step.kind}`}
              aria-expanded={openIndex === step.index}
              onClick={() => setOpenIndex(openIndex === step.index ? undefined : step.index)}
            >
              <Step step={step} />
            </UnstyledButton>
            {openIndex === step.index && (
              <Code block tabIndex={0} className="body" my="xs">
                {messages[step.index]?.text}
              </Code>
            )}
          </li>
        ))}
      </ol>
    </Card>
  );
}

function Step({ step: { title, about, isSent, atMs, transport, hasSdp } }: { step: LadderStep }) {
  return (
    <>
      <Text size="xs" c="dimmed" className="figures ladder-time">
        {(atMs / 1000).toFixed(3)} s
      </Text>
      <span className="ladder-arrow">
        <Group gap={6} justify="center">
          <Text size="sm" fw={600} component="span">
            {title}
          </Text>
          <Text size="xs" c="dimmed" component="span">
            {[about, hasSdp ? "SDP" : undefined, transport].filter((part) => part !== undefined).join(" · ")}
          </Text>
        </Group>
        <VisuallyHidden>{isSent ? "sent" : "received"}</VisuallyHidden>
        <span className="ladder-line" aria-hidden />
      </span>
    </>
  );
}
