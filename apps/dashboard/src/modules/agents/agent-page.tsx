import { Badge } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Outlet } from "@tanstack/react-router";
import { useParley } from "../../app/session/session.tsx";
import { formatDateTime } from "../../ui/format.ts";
import { TabLink } from "../../ui/links.tsx";
import { Loaded } from "../../ui/loading.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { AgentActions } from "./agent-actions.tsx";
import { agentQuery } from "./agents.queries.ts";
import { UnpublishedBadge } from "./versions/unpublished-badge.tsx";

const route = getRouteApi("/shell/in/agents/$agentId");

const tabs = [
  { to: "/agents/$agentId", label: "Settings" },
  { to: "/agents/$agentId/tools", label: "Tools" },
  { to: "/agents/$agentId/environments", label: "Environments" },
  { to: "/agents/$agentId/versions", label: "Versions" },
] as const;

/** One agent: its name and actions, and a tab for each view of it. */
export function AgentPage() {
  const { agentId } = route.useParams();
  const agent = useQuery(agentQuery(useParley(), agentId));
  return (
    <Loaded query={agent} heading="Agent">
      {(loaded) => (
        <>
          <PageHeader
            title={loaded.name}
            beside={
              <>
                <Badge variant="light" color={loaded.status === "active" ? "house" : "gray"}>
                  {loaded.status}
                </Badge>
                <UnpublishedBadge agent={loaded} />
              </>
            }
            description={`Changed ${formatDateTime(loaded.updatedAt)}`}
            actions={<AgentActions agent={loaded} />}
          />
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
          <Outlet />
        </>
      )}
    </Loaded>
  );
}
