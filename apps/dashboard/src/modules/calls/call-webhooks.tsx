import { Accordion, Badge, Button, Card, Code, Group, Stack, Text } from "@mantine/core";
import type { WebhookDelivery, WebhookDeliveryDetail } from "@parley/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import Webhook from "lucide-react/icons/webhook";
import { useState } from "react";
import { useParley } from "../../app/session/session.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { formatDateTime } from "../../ui/format.ts";
import { Loaded } from "../../ui/loading.tsx";
import { toast } from "../../ui/toast.ts";
import { deliveriesQuery, deliveryQuery } from "./calls.queries.ts";
import { readableJson } from "./transcript.rules.ts";

const colors = { pending: "blue", delivered: "house", failed: "red" } as const;

/** The webhooks of a call with their attempts. */
export function CallWebhooks({ callId }: { callId: string }) {
  const deliveries = useQuery(deliveriesQuery(useParley(), callId));
  const [openId, setOpenId] = useState<string | null>(null);
  return (
    <Loaded query={deliveries}>
      {(all) =>
        all.length === 0 ? (
          <Card withBorder>
            <EmptyState icon={Webhook} title="No webhooks">
              No webhook was sent for this call. An agent with a pre-call or post-call URL sends one for each
              call.
            </EmptyState>
          </Card>
        ) : (
          <Accordion variant="contained" value={openId} onChange={setOpenId}>
            {all.map((delivery) => (
              <Accordion.Item key={delivery.id} value={delivery.id}>
                <Accordion.Control>
                  <Summary delivery={delivery} />
                </Accordion.Control>
                <Accordion.Panel>{openId === delivery.id && <Delivery id={delivery.id} />}</Accordion.Panel>
              </Accordion.Item>
            ))}
          </Accordion>
        )
      }
    </Loaded>
  );
}

function Summary({ delivery: { type, url, status, createdAt } }: { delivery: WebhookDelivery }) {
  return (
    <Group gap="sm">
      <Code>{type}</Code>
      <Badge variant="light" color={colors[status]}>
        {status}
      </Badge>
      <Text size="sm" c="dimmed" className="long-words">
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
            <Code block tabIndex={0} className="body">
              {readableJson(detail.body)}
            </Code>
          )}
          <Group>
            <Button variant="default" size="xs" loading={resend.isPending} onClick={() => resend.mutate()}>
              Send again
            </Button>
          </Group>
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
            <Text size="xs" c="dimmed" className="long-words">
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
