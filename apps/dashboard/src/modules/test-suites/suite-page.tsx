import { Button } from "@mantine/core";
import type { TestSuite } from "@parley/client";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Outlet } from "@tanstack/react-router";
import Play from "lucide-react/icons/play";
import { useState } from "react";
import { Allowed } from "../../app/session/allowed.tsx";
import { useParley } from "../../app/session/session.tsx";
import { TabLink, TextLink } from "../../ui/links.tsx";
import { Loaded } from "../../ui/loading.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { useAgentName } from "../calls/agent-name.tsx";
import { StartRunDialog } from "./runs/start-run-dialog.tsx";
import { modeLabels } from "./test-suite-words.tsx";
import { suiteQuery } from "./test-suites.queries.ts";

const route = getRouteApi("/shell/in/test-suites/$suiteId");

const tabs = [
  { to: "/test-suites/$suiteId", label: "Cases" },
  { to: "/test-suites/$suiteId/runs", label: "Runs" },
  { to: "/test-suites/$suiteId/settings", label: "Settings" },
] as const;

/** One suite: a button that runs it, and a tab for each view of it. */
export function SuitePage() {
  const { suiteId } = route.useParams();
  const suite = useQuery(suiteQuery(useParley(), suiteId));
  return (
    <Loaded query={suite} heading="Test suite">
      {(loaded) => <SuiteView suite={loaded} />}
    </Loaded>
  );
}

function SuiteView({ suite }: { suite: TestSuite }) {
  const [isStarting, setStarting] = useState(false);
  const agentName = useAgentName();
  const { id: suiteId, name, agentId, mode, totalTests } = suite;
  return (
    <>
      <PageHeader
        title={name}
        description={
          <>
            Tests{" "}
            <TextLink to="/agents/$agentId" params={{ agentId }} underline="always">
              {agentName(agentId)}
            </TextLink>{" "}
            · {modeLabels[mode]}
          </>
        }
        actions={
          totalTests > 0 && (
            <Allowed operation="startTestRun">
              <Button leftSection={<Play size={16} aria-hidden />} onClick={() => setStarting(true)}>
                Run the suite
              </Button>
            </Allowed>
          )
        }
      />
      <nav aria-label="Views of the test suite" className="tab-links">
        {tabs.map(({ to, label }) => (
          <TabLink
            key={to}
            to={to}
            params={{ suiteId }}
            activeOptions={{ exact: to === "/test-suites/$suiteId", includeSearch: false }}
          >
            {label}
          </TabLink>
        ))}
      </nav>
      <Outlet />
      {isStarting && <StartRunDialog suite={suite} onClose={() => setStarting(false)} />}
    </>
  );
}
