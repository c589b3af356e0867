import { Badge, Button } from "@mantine/core";
import type { Agent } from "@parley/client";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Outlet } from "@tanstack/react-router";
import Mic from "lucide-react/icons/mic";
import { lazy, Suspense, useRef, useState } from "react";
import { Allowed } from "../../app/session/allowed.tsx";
import { useParley } from "../../app/session/session.tsx";
import { formatDateTime } from "../../ui/format.ts";
import { TabLink } from "../../ui/links.tsx";
import { Loaded, LoadingLines } from "../../ui/loading.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { AgentActions } from "./agent-actions.tsx";
import { agentQuery } from "./agents.queries.ts";
import { UnpublishedBadge } from "./versions/unpublished-badge.tsx";
import "./agent-page.css";

const route = getRouteApi("/shell/in/agents/$agentId");

/** Calls from the browser are code that most visits do not need. */
const TestPanel = lazy(async () => ({ default: (await import("./test-panel.tsx")).TestPanel }));

const tabs = [
  { to: "/agents/$agentId", label: "Settings" },
  { to: "/agents/$agentId/tools", label: "Tools" },
  { to: "/agents/$agentId/environments", label: "Environments" },
  { to: "/agents/$agentId/versions", label: "Versions" },
] as const;

/** One agent: its name and actions, a tab for each view of it, and a test beside them. */
export function AgentPage() {
  const { agentId } = route.useParams();
  const agent = useQuery(agentQuery(useParley(), agentId));
  return (
    <Loaded query={agent} heading="Agent">
      {(loaded) => <AgentView key={agentId} agent={loaded} />}
    </Loaded>
  );
}

function AgentView({ agent }: { agent: Agent }) {
  // The views below have addresses of their own, and the test goes on in all of them.
  const [rerunOf] = useState(route.useSearch().rerun);
  const [isTesting, setTesting] = useState(rerunOf !== undefined);
  const testButton = useRef<HTMLButtonElement>(null);
  const close = (): void => {
    setTesting(false);
    testButton.current?.focus();
  };
  return (
    <>
      <PageHeader
        title={agent.name}
        beside={
          <>
            <Badge variant="light" color={agent.status === "active" ? "house" : "gray"}>
              {agent.status}
            </Badge>
            <UnpublishedBadge agent={agent} />
          </>
        }
        description={`Changed ${formatDateTime(agent.updatedAt)}`}
        actions={
          <>
            <Allowed operation="startTestCall">
              <Button
                leftSection={<Mic size={16} aria-hidden />}
                ref={testButton}
                variant={isTesting ? "light" : "filled"}
                aria-expanded={isTesting}
                onClick={() => setTesting(true)}
              >
                Test
              </Button>
            </Allowed>
            <AgentActions agent={agent} />
          </>
        }
      />
      <div className={isTesting ? "agent-with-test" : undefined}>
        {isTesting && (
          <Suspense fallback={<LoadingLines lines={6} label="Loading the test" />}>
            <TestPanel agent={agent} rerunOf={rerunOf} onClose={close} />
          </Suspense>
        )}
        <div>
          <Tabs agentId={agent.id} />
          <Outlet />
        </div>
      </div>
    </>
  );
}

function Tabs({ agentId }: { agentId: string }) {
  return (
    <nav aria-label="Views of the agent" className="tab-links">
      {tabs.map(({ to, label }) => (
        <TabLink
          key={to}
          to={to}
          params={{ agentId }}
          activeOptions={{ exact: to === "/agents/$agentId", includeSearch: false }}
        >
          {label}
        </TabLink>
      ))}
    </nav>
  );
}
