import { Accordion, Badge, Button, Code, Group, Stack, Text } from "@mantine/core";
import type { WebhookDelivery, WebhookDeliveryDetail } from "@parley/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Allowed } from "../../app/session/allowed.tsx";
import { useParley } from "../../app/session/session.tsx";
import { formatDateTime } from "../../ui/format.ts";
import { readableJson } from "../../ui/json-text.rules.ts";
import { Loaded } from "../../ui/loading.tsx";
import { toast } from "../../ui/toast.ts";
import { deliveryQuery } from "./webhooks.queries.ts";
import "./deliveries.css";

const colors = { pending: "blue", delivered: "house", failed: "red" } as const;

/** Deliveries of webhooks. One at a time opens to its body and attempts. */
export function Deliveries({ deliveries }: { deliveries: readonly WebhookDelivery[] }) {
  const [openId, setOpenId] = useState<string | null>(null);
  return (
    <Accordion variant="contained" value={openId} onChange={setOpenId}>
      {deliveries.map((delivery) => (
        <Accordion.Item key={delivery.id} value={delivery.id}>
          <Accordion.Control>
            <Summary delivery={delivery} />
          </Accordion.Control>
          <Accordion.Panel>{openId === delivery.id && <Delivery id={delivery.id} />}</Accordion.Panel>
        </Accordion.Item>
      ))}
    </Accordion>
  );
}

function Summary({ delivery: { type, url, status, createdAt } }: { delivery: WebhookDelivery }) {
  return (
    <Group gap="sm">
      <Code>{type}</Code>
      <Badge variant="light" color={colors[status]}>
        {status}
      </Badge>
      <Text size="sm" c="dimmed" className="delivery-words">
        {url} · {formatDateTime(createdAt)}
      </Text>
    </Group>
  );
}

function Delivery({ id }: { id: string }) {
  const parley = useParley();
  const queryClient = useQueryClient();
  const delivery = useQuery(deliveryQuery(parley, id));
  const resend = useMutation({
    mutationFn: async () => await parley.resendWebhookDelivery(id),
    onSuccess: async () => {
      toast.done("The webhook is sent again.");
      await queryClient.invalidateQueries({ queryKey: ["calls"] });
      await queryClient.invalidateQueries({ queryKey: ["webhooks"] });
    },
    onError: (error) => toast.failed(error),
  });
  return (
    <Loaded query={delivery}>
      {(detail) => (
        <Stack gap="sm">
          <Attempts detail={detail} />
          {detail.body === null ? (
            <Text size="sm" c="dimmed">
              The body is built when analysis and recording are done.
            </Text>
          ) : (
            <Code block tabIndex={0} className="delivery-body">
              {readableJson(detail.body)}
            </Code>
          )}
          <Allowed operation="resendWebhookDelivery">
            <Group>
              <Button variant="default" size="xs" loading={resend.isPending} onClick={() => resend.mutate()}>
                Send again
              </Button>
            </Group>
          </Allowed>
        </Stack>
      )}
    </Loaded>
  );
}

function Attempts({ detail: { attemptLog, nextAttemptAt } }: { detail: WebhookDeliveryDetail }) {
  return (
    <Stack gap={4}>
      {attemptLog.map(({ id, startedAt, durationMs, answerStatus, problem, isResend, answer }) => (
        <div key={id}>
          <Text size="sm">
            {formatDateTime(startedAt)} · {Math.round(durationMs)} ms ·{" "}
            {answerStatus === null ? (problem ?? "no answer") : `answer ${answerStatus}`}
            {isResend && " · sent again"}
          </Text>
          {answer !== null && answer !== "" && (
            <Text size="xs" c="dimmed" className="delivery-words">
              {answer}
            </Text>
          )}
        </div>
      ))}
      {nextAttemptAt !== null && (
        <Text size="sm" c="dimmed">
          Next attempt {formatDateTime(nextAttemptAt)}
        </Text>
      )}
    </Stack>
  );
}
