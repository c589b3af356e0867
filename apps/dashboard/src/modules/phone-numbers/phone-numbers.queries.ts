import { paginate, type Parley } from "@parley/client";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";

type NumberFilter = NonNullable<Parameters<Parley["listPhoneNumbers"]>[0]>;

export function numbersQuery(parley: Parley, filter: NumberFilter) {
  return queryOptions({
    queryKey: ["phone-numbers", "list", filter],
    queryFn: async ({ signal }) => await parley.listPhoneNumbers(filter, { signal }),
    placeholderData: keepPreviousData,
  });
}

/** Name and trunk of every agent by its id. */
export function numberAgentsQuery(parley: Parley) {
  return queryOptions({
    queryKey: ["agents", "of-numbers"],
    queryFn: async ({ signal }) => {
      const agents = paginate(async (page) => await parley.listAgents(page, { signal }));
      const found = new Map<string, { name: string; sipTrunkId: string | null }>();
      for await (const { id, name, sipTrunkId } of agents) found.set(id, { name, sipTrunkId });
      return found;
    },
  });
}

/** Name of every trunk by its id. */
export function numberTrunksQuery(parley: Parley) {
  return queryOptions({
    queryKey: ["sip-trunks", "of-numbers"],
    queryFn: async ({ signal }) => {
      const { data } = await parley.listSipTrunks({ pageSize: 100 }, { signal });
      return new Map(data.map(({ id, friendlyName }) => [id, friendlyName]));
    },
  });
}
