import { type Campaign, paginate, type Parley } from "@parley/client";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { isLive } from "./campaign-words.ts";

const LIVE_INTERVAL_MS = 2_000;
const LIST_INTERVAL_MS = 5_000;

type CampaignFilter = NonNullable<Parameters<Parley["listCampaigns"]>[0]>;
type ContactFilter = NonNullable<Parameters<Parley["listCampaignContacts"]>[1]>;

export function campaignsQuery(parley: Parley, filter: CampaignFilter) {
  return queryOptions({
    queryKey: ["campaigns", "list", filter],
    queryFn: async ({ signal }) => await parley.listCampaigns(filter, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => (data?.data.some(isLive) === true ? LIST_INTERVAL_MS : false),
  });
}

/** A campaign, asked for again while it changes by itself. */
export function campaignQuery(parley: Parley, campaignId: string) {
  return queryOptions({
    queryKey: ["campaigns", campaignId],
    queryFn: async ({ signal }) => await parley.getCampaign(campaignId, { signal }),
    refetchInterval: ({ state: { data } }) => (data !== undefined && isLive(data) ? LIVE_INTERVAL_MS : false),
  });
}

/** What ended in each interval. The key contains the progress: the activity changes with it, and only then. */
export function activityQuery(parley: Parley, { id, progress, updatedAt }: Campaign) {
  return queryOptions({
    queryKey: ["campaigns", id, "activity", progress.done, updatedAt],
    queryFn: async ({ signal }) => await parley.getCampaignActivity(id, { signal }),
    placeholderData: keepPreviousData,
  });
}

export function contactsQuery(parley: Parley, campaign: Campaign, filter: ContactFilter) {
  return queryOptions({
    queryKey: ["campaigns", campaign.id, "contacts", filter],
    queryFn: async ({ signal }) => await parley.listCampaignContacts(campaign.id, filter, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: isLive(campaign) ? LIST_INTERVAL_MS : false,
  });
}

export function contactQuery(parley: Parley, campaignId: string, contactId: string) {
  return queryOptions({
    queryKey: ["campaigns", campaignId, "contacts", contactId],
    queryFn: async ({ signal }) => await parley.getCampaignContact(campaignId, contactId, { signal }),
    refetchInterval: ({ state: { data } }) =>
      data?.status === "pending" || data?.status === "calling" ? LIST_INTERVAL_MS : false,
  });
}

/** The home country is the country of numbers without a country code. */
export function organizationQuery(parley: Parley) {
  return queryOptions({
    queryKey: ["organization"],
    queryFn: async ({ signal }) => await parley.getOrganization({ signal }),
    staleTime: 60_000,
  });
}

export interface CallingAgent {
  name: string;
  sipTrunkId: string | null;
  timezone: string;
}

/** Every agent by its id, for the choice of the one that calls. */
export function callingAgentsQuery(parley: Parley) {
  return queryOptions({
    queryKey: ["agents", "of-campaigns"],
    queryFn: async ({ signal }) => {
      const found = new Map<string, CallingAgent>();
      const agents = paginate(async (page) => await parley.listAgents(page, { signal }));
      for await (const { id, name, sipTrunkId, timezone } of agents)
        found.set(id, { name, sipTrunkId, timezone });
      return found;
    },
  });
}

/** The numbers of a trunk: each can be the caller ID of its agents. */
export function callerIdsQuery(parley: Parley, sipTrunkId: string | null | undefined) {
  return queryOptions({
    queryKey: ["phone-numbers", "of-campaigns", sipTrunkId],
    queryFn: async ({ signal }) => {
      const filter = { pageSize: 100, ...(typeof sipTrunkId === "string" && { sipTrunkId }) };
      return (await parley.listPhoneNumbers(filter, { signal })).data.map(({ e164 }) => e164);
    },
    enabled: typeof sipTrunkId === "string",
  });
}
