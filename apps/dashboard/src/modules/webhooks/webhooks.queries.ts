import type { Parley } from "@parley/client";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";

const PENDING_INTERVAL_MS = 5_000;

type DeliveryFilter = NonNullable<Parameters<Parley["listWebhookDeliveries"]>[0]>;

export function allDeliveriesQuery(parley: Parley, filter: DeliveryFilter) {
  return queryOptions({
    queryKey: ["webhooks", "list", filter],
    queryFn: async ({ signal }) => await parley.listWebhookDeliveries(filter, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) =>
      data?.data.some(({ status }) => status === "pending") === true ? PENDING_INTERVAL_MS : false,
  });
}

export function deliveryQuery(parley: Parley, deliveryId: string) {
  return queryOptions({
    queryKey: ["webhooks", deliveryId],
    queryFn: async ({ signal }) => await parley.getWebhookDelivery(deliveryId, { signal }),
  });
}

export function signingQuery(parley: Parley) {
  return queryOptions({
    queryKey: ["webhooks", "signing"],
    queryFn: async ({ signal }) => await parley.getWebhookSigning({ signal }),
  });
}
