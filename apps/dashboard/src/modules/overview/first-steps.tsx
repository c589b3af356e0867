import { Card, CloseButton, Group, Text, Title } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import type { Parley } from "@parley/client";
import { sampleAgent } from "@parley/contract/sample-agent";
import { queryOptions, useQuery } from "@tanstack/react-query";
import Check from "lucide-react/icons/check";
import { useIdentity, useOrganization, useParley } from "../../app/session/session.tsx";
import { ButtonLink } from "../../ui/links.tsx";
import { type Beginnings, type FirstStep, firstStepsOf } from "./first-steps.rules.ts";
import "./first-steps.css";

const one = { pageSize: 1 } as const;

function beginningsQuery(parley: Parley) {
  return queryOptions({
    queryKey: ["overview", "first-steps"],
    // Somebody who comes back has just taken a step.
    staleTime: 0,
    queryFn: async ({ signal }): Promise<Beginnings> => {
      const [webCalls, phoneCalls, agents, trunks, numbers] = await Promise.all([
        parley.listCalls({ ...one, channel: "web" }, { signal }),
        parley.listCalls({ ...one, channel: "phone" }, { signal }),
        parley.listAgents({ pageSize: 20 }, { signal }),
        parley.listSipTrunks(one, { signal }),
        parley.listPhoneNumbers(one, { signal }),
      ]);
      return {
        hasTried: webCalls.total > 0,
        hasOwnAgent: agents.data.some(({ promptTemplate }) => promptTemplate !== sampleAgent.promptTemplate),
        hasTrunk: trunks.total > 0,
        number: numbers.data[0]?.e164,
        hasPhoneCall: phoneCalls.total > 0,
      };
    },
  });
}

/**
 * Steps from an empty installation to the first call by telephone, until all are done or somebody hides them. `undefined` while it
 * is unknown whether there are any: what is below them would move.
 */
export function useFirstSteps(): readonly FirstStep[] | undefined {
  const identity = useIdentity();
  const [isHidden] = useHidden();
  const { data, isLoading } = useQuery({
    ...beginningsQuery(useParley()),
    enabled: !isHidden && identity?.role !== "viewer",
  });
  if (isLoading) return undefined;
  const steps = data === undefined || isHidden ? [] : firstStepsOf(data);
  return steps.every(({ isDone }) => isDone) ? [] : steps;
}

function useHidden() {
  const organization = useOrganization();
  const organizationId = useIdentity()?.organization?.id ?? organization?.id;
  return useLocalStorage({
    key: `parley-first-steps-hidden-${organizationId}`,
    defaultValue: false,
    getInitialValueInEffect: false,
  });
}

export function FirstSteps({ steps }: { steps: readonly FirstStep[] }) {
  const [, setHidden] = useHidden();
  const next = steps.find(({ isDone }) => !isDone);
  if (next === undefined) return null;
  return (
    <Card withBorder padding="lg" mb="md" component="section" aria-labelledby="first-steps-title">
      <Group justify="space-between" mb="sm" wrap="nowrap">
        <Title order={2} size="h4" id="first-steps-title">
          First steps
        </Title>
        <CloseButton aria-label="Hide the first steps" onClick={() => setHidden(true)} />
      </Group>
      <ol className="first-steps">
        {steps.map((step, index) => (
          <Step key={step.title} step={step} number={index + 1} isNext={step === next} />
        ))}
      </ol>
    </Card>
  );
}

function Step({ step, number, isNext }: { step: FirstStep; number: number; isNext: boolean }) {
  const { title, text, action, to, isDone } = step;
  return (
    <li data-done={isDone}>
      <span className="step-mark" aria-hidden="true">
        {isDone ? <Check size={16} /> : number}
      </span>
      <div className="step-words">
        <Text fw={600}>
          {title}
          {isDone && (
            <Text span size="sm" c="dimmed" fw={400}>
              {" "}
              – done
            </Text>
          )}
        </Text>
        {!isDone && (
          <Text size="sm" c="dimmed">
            {text}
          </Text>
        )}
      </div>
      {!isDone && (
        <ButtonLink to={to} variant={isNext ? "filled" : "default"} size="sm">
          {action}
        </ButtonLink>
      )}
    </li>
  );
}
