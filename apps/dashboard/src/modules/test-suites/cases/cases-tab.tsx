import { Card, Group, Table, Text } from "@mantine/core";
import type { TestCase } from "@parley/client";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import MessagesSquare from "lucide-react/icons/messages-square";
import Plus from "lucide-react/icons/plus";
import { Allowed } from "../../../app/session/allowed.tsx";
import { useParley } from "../../../app/session/session.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { ButtonLink, TextLink } from "../../../ui/links.tsx";
import { Loaded } from "../../../ui/loading.tsx";
import { casesQuery } from "../test-suites.queries.ts";

const route = getRouteApi("/shell/in/test-suites/$suiteId");

/** The cases of a suite, in their order. */
export function CasesTab() {
  const { suiteId } = route.useParams();
  const cases = useQuery(casesQuery(useParley(), suiteId));
  return (
    <Loaded query={cases}>
      {(list) =>
        list.length === 0 ? <NoCases suiteId={suiteId} /> : <CaseList cases={list} suiteId={suiteId} />
      }
    </Loaded>
  );
}

function CaseList({ cases, suiteId }: { cases: readonly TestCase[]; suiteId: string }) {
  return (
    <>
      <Group justify="flex-end" mb="sm">
        <Allowed operation="createTestCase">
          <ButtonLink
            variant="default"
            to="/test-suites/$suiteId/new-case"
            params={{ suiteId }}
            leftSection={<Plus size={16} aria-hidden />}
          >
            Add a case
          </ButtonLink>
        </Allowed>
      </Group>
      <Card withBorder padding={0}>
        <Table aria-label="Test cases" verticalSpacing="sm" horizontalSpacing="md" highlightOnHover>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Case</Table.Th>
              <Table.Th visibleFrom="sm">Who speaks</Table.Th>
              <Table.Th visibleFrom="sm">Decided by</Table.Th>
              <Table.Th ta="right">Attempts</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {cases.map((testCase) => (
              <CaseRow key={testCase.id} testCase={testCase} />
            ))}
          </Table.Tbody>
        </Table>
      </Card>
    </>
  );
}

function CaseRow({ testCase }: { testCase: TestCase }) {
  const { id, testSuiteId: suiteId, name, script, callerLines, attemptsPerRun } = testCase;
  const isScripted = callerLines.length > 0;
  return (
    <Table.Tr>
      <Table.Td>
        <TextLink to="/test-suites/$suiteId/tests/$testId" params={{ suiteId, testId: id }} fw={600}>
          {name}
        </TextLink>
        <Text size="sm" c="dimmed" lineClamp={1}>
          {isScripted ? callerLines.join(" · ") : script}
        </Text>
      </Table.Td>
      <Table.Td visibleFrom="sm">{isScripted ? "Fixed lines" : "A language model"}</Table.Td>
      <Table.Td visibleFrom="sm">{describeDecision(testCase)}</Table.Td>
      <Table.Td ta="right">{attemptsPerRun}</Table.Td>
    </Table.Tr>
  );
}

function describeDecision({ scoringRubric, assertions: { length } }: TestCase): string {
  const parts = [
    ...(length > 0 ? [length === 1 ? "1 assertion" : `${length} assertions`] : []),
    ...(scoringRubric.trim() === "" ? [] : ["a judge"]),
  ];
  return parts.join(" and ");
}

function NoCases({ suiteId }: { suiteId: string }) {
  return (
    <Card withBorder>
      <EmptyState
        icon={MessagesSquare}
        title="No cases yet"
        action={
          <Allowed operation="createTestCase">
            <ButtonLink to="/test-suites/$suiteId/new-case" params={{ suiteId }}>
              Add the first case
            </ButtonLink>
          </Allowed>
        }
      >
        A case is one conversation: what a caller says, and what the agent must do. The page of a past call
        makes one from what was said.
      </EmptyState>
    </Card>
  );
}
