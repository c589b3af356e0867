import type { TestSuite } from "@parley/client";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import ListChecks from "lucide-react/icons/list-checks";
import Plus from "lucide-react/icons/plus";
import { Allowed } from "../../app/session/allowed.tsx";
import { useParley } from "../../app/session/session.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { formatDateTime } from "../../ui/format.ts";
import { ButtonLink, TextLink } from "../../ui/links.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { useAgentName } from "../calls/agent-name.tsx";
import { modeLabels } from "./test-suite-words.tsx";
import { suitesQuery } from "./test-suites.queries.ts";

const route = getRouteApi("/shell/in/test-suites");

const columns: readonly Column<TestSuite>[] = [
  {
    header: "Name",
    cell: ({ id, name }) => (
      <TextLink to="/test-suites/$suiteId" params={{ suiteId: id }} fw={600}>
        {name}
      </TextLink>
    ),
  },
  { header: "Agent", cell: ({ agentId }) => <AgentName agentId={agentId} /> },
  { header: "Cases", cell: ({ totalTests }) => totalTests.toLocaleString("en"), align: "right" },
  { header: "Test type", cell: ({ mode }) => modeLabels[mode], visibleFrom: "sm" },
  { header: "Created", cell: ({ createdAt }) => formatDateTime(createdAt), visibleFrom: "md" },
];

/** Suites of conversations that agents must hold well. */
export function SuitesPage() {
  const { page = 1 } = route.useSearch();
  const navigate = route.useNavigate();
  const suites = useQuery(suitesQuery(useParley(), page));
  return (
    <>
      <PageHeader
        title="Test suites"
        description="Conversations that your agents must hold well, before callers have them."
        actions={
          <Allowed operation="createTestSuite">
            <ButtonLink to="/test-suites/new" leftSection={<Plus size={16} aria-hidden />}>
              New test suite
            </ButtonLink>
          </Allowed>
        }
      />
      <DataTable
        label="Test suites"
        query={suites}
        columns={columns}
        keyOf={({ id }) => id}
        onPage={(next) => void navigate({ search: { page: next } })}
        empty={<NoSuites />}
      />
    </>
  );
}

function AgentName({ agentId }: { agentId: string }) {
  return useAgentName()(agentId);
}

function NoSuites() {
  return (
    <EmptyState
      icon={ListChecks}
      title="No test suites yet"
      action={
        <Allowed operation="createTestSuite">
          <ButtonLink to="/test-suites/new">Create a test suite</ButtonLink>
        </Allowed>
      }
    >
      A suite has test cases: what a caller says, and what the agent must do. Run it before you publish, and
      compare the runs of two versions.
    </EmptyState>
  );
}
