import { Alert, Button, Card, Group, Loader, Stack, Text, ThemeIcon, Title } from "@mantine/core";
import type { SipTrunkCheck, SipTrunkCheckStep } from "@parley/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import Check from "lucide-react/icons/check";
import Minus from "lucide-react/icons/minus";
import X from "lucide-react/icons/x";
import { useEffect } from "react";
import { Allowed } from "../../app/session/allowed.tsx";
import { useParley } from "../../app/session/session.tsx";
import { formatDateTime } from "../../ui/format.ts";
import { Problem } from "../../ui/problem.tsx";
import { remedies, stepNames } from "./check-words.ts";

const looks = {
  ok: { Icon: Check, color: "house", word: "works" },
  failed: { Icon: X, color: "red", word: "failed" },
  skipped: { Icon: Minus, color: "gray", word: "skipped" },
} as const;

interface TrunkCheckProps {
  trunkId: string;
  /** Whether a check begins with the page. */
  isImmediate: boolean;
}

/** Follows the way of a call step by step, and says where it ends and how to mend it. */
export function TrunkCheck({ trunkId, isImmediate }: TrunkCheckProps) {
  const parley = useParley();
  const queryClient = useQueryClient();
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: async () => await parley.checkSipTrunk(trunkId),
    onSettled: async () => await queryClient.invalidateQueries({ queryKey: ["sip-trunks"] }),
  });
  useEffect(() => {
    if (isImmediate) mutate();
  }, [isImmediate, mutate]);
  return (
    <Card withBorder padding="lg" component="section" aria-label="Check" aria-busy={isPending}>
      <Stack>
        <Group justify="space-between">
          <Title order={2} size="h4">
            Check
          </Title>
          <Allowed operation="checkSipTrunk">
            <Button variant="default" loading={isPending} onClick={() => mutate()}>
              {data === undefined ? "Check now" : "Check again"}
            </Button>
          </Allowed>
        </Group>
        {error !== null && <Problem error={error} onRetry={() => mutate()} />}
        <div role="status">
          {isPending ? (
            <Group gap="sm">
              <Loader size="sm" />
              <Text size="sm">Following the way of a call: at most 10 seconds.</Text>
            </Group>
          ) : (
            data !== undefined && <Result check={data} />
          )}
        </div>
        {data === undefined && error === null && !isPending && (
          <Text size="sm" c="dimmed">
            Tries the way of a call step by step: the name, the connection, the SIP server and the
            registration.
          </Text>
        )}
      </Stack>
    </Card>
  );
}

function Result({ check }: { check: SipTrunkCheck }) {
  const { isOk, steps, checkedAt, durationMs } = check;
  return (
    <Stack>
      <Alert
        color={isOk ? "house" : "red"}
        variant="light"
        title={isOk ? "Calls can go this way" : "The check found a problem"}
        icon={isOk ? <Check size={18} aria-hidden /> : <X size={18} aria-hidden />}
      >
        <Text size="sm" component="span">
          Checked {formatDateTime(checkedAt)}, in {durationMs} ms.
        </Text>
      </Alert>
      <Stack component="ol" gap="md" m={0} p={0} style={{ listStyle: "none" }}>
        {steps.map((step) => (
          <Step key={step.step} step={step} />
        ))}
      </Stack>
    </Stack>
  );
}

function Step({ step: { step, result, problem, message, durationMs } }: { step: SipTrunkCheckStep }) {
  const { Icon, color, word } = looks[result];
  return (
    <Group component="li" wrap="nowrap" align="flex-start" gap="sm">
      <ThemeIcon size={28} radius="xl" variant="light" color={color}>
        <Icon size={16} aria-hidden />
      </ThemeIcon>
      <Stack gap={2}>
        <Text fw={600}>
          {stepNames[step]}{" "}
          <Text component="span" size="sm" c="dimmed" fw={400}>
            {result === "ok" ? `${durationMs} ms` : word}
          </Text>
        </Text>
        <Text size="sm" c={result === "skipped" ? "dimmed" : undefined} style={{ overflowWrap: "anywhere" }}>
          {message}
        </Text>
        {problem !== null && (
          <Text size="sm">
            <strong>What to do:</strong> {remedies[problem]}
          </Text>
        )}
      </Stack>
    </Group>
  );
}
