import type { Campaign } from "@parley/client";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Outlet } from "@tanstack/react-router";
import { useParley } from "../../app/session/session.tsx";
import { formatDateTime } from "../../ui/format.ts";
import { TabLink } from "../../ui/links.tsx";
import { Loaded } from "../../ui/loading.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { CampaignActions } from "./campaign-actions.tsx";
import { CampaignStatusBadge, PauseNotice } from "./campaign-status.tsx";
import { campaignQuery } from "./campaigns.queries.ts";

const route = getRouteApi("/shell/in/campaigns/$campaignId");

const tabs = [
  { to: "/campaigns/$campaignId", label: "Progress" },
  { to: "/campaigns/$campaignId/contacts", label: "Contacts" },
  { to: "/campaigns/$campaignId/settings", label: "Settings" },
] as const;

/** One campaign: its state and actions, and a tab for each view of it. */
export function CampaignPage() {
  const { campaignId } = route.useParams();
  const campaign = useQuery(campaignQuery(useParley(), campaignId));
  return (
    <Loaded query={campaign} heading="Campaign">
      {(loaded) => (
        <>
          <PageHeader
            title={loaded.name}
            beside={<CampaignStatusBadge status={loaded.status} />}
            description={describe(loaded)}
            actions={<CampaignActions campaign={loaded} />}
          />
          <PauseNotice campaign={loaded} />
          <nav aria-label="Views of the campaign" className="tab-links">
            {tabs.map(({ to, label }) => (
              <TabLink
                key={to}
                to={to}
                params={{ campaignId }}
                activeOptions={{ exact: to === "/campaigns/$campaignId", includeSearch: false }}
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

function describe({ agentName, fromNumber, startedAt, completedAt }: Campaign): string {
  const line = `${agentName} calls from ${fromNumber}.`;
  if (completedAt !== null) return `${line} Ended ${formatDateTime(completedAt)}.`;
  return startedAt === null ? line : `${line} Started ${formatDateTime(startedAt)}.`;
}
