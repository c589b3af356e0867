import type { Campaign } from "@parley/client";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useParley } from "../../../app/session/session.tsx";
import { Loaded } from "../../../ui/loading.tsx";
import { campaignQuery } from "../campaigns.queries.ts";
import { copyOf, emptyCampaign, ownTimezone } from "../form/campaign-values.rules.ts";
import { CampaignSteps } from "./campaign-steps.tsx";

const route = getRouteApi("/shell/in/campaigns/new");

/** A campaign in steps: an empty one, or a copy of another. */
export function NewCampaignPage() {
  const { copyOf: originalId } = route.useSearch();
  if (originalId === undefined) return <CampaignSteps initialValues={emptyCampaign(ownTimezone())} />;
  return <CopiedCampaign key={originalId} originalId={originalId} />;
}

function CopiedCampaign({ originalId }: { originalId: string }) {
  // Its progress may go on meanwhile: the copy is that of the beginning.
  const original = useQuery({ ...campaignQuery(useParley(), originalId), refetchInterval: false });
  return (
    <Loaded query={original} heading="New campaign">
      {(campaign: Campaign) => (
        <CampaignSteps initialValues={copyOf(campaign, ownTimezone())} original={campaign} />
      )}
    </Loaded>
  );
}
