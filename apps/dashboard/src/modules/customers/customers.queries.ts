import type { Customer, Parley } from "@parley/client";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { CustomersSearch } from "./customers.routes.ts";

/** Shown of one customer; the agent knows of ten. */
const MAX_SHOWN = 100;

export function customersQuery(parley: Parley, { page = 1, ...filter }: CustomersSearch) {
  return queryOptions({
    queryKey: ["customers", "list", page, filter],
    queryFn: async ({ signal }) => await parley.listCustomers({ page, ...filter }, { signal }),
    placeholderData: keepPreviousData,
  });
}

export function customerQuery(parley: Parley, customerId: string) {
  return queryOptions({
    queryKey: ["customers", customerId],
    queryFn: async ({ signal }) => await parley.getCustomer(customerId, { signal }),
  });
}

/** The latest conversations of a customer, the latest first. */
export function conversationsQuery(parley: Parley, customerId: string) {
  return queryOptions({
    queryKey: ["customers", customerId, "conversations"],
    queryFn: async ({ signal }) =>
      await parley.listConversations({ customerId, pageSize: MAX_SHOWN }, { signal }),
  });
}

/** The conversation with its transcript. */
export function conversationQuery(parley: Parley, conversationId: string) {
  return queryOptions({
    queryKey: ["customers", "transcripts", conversationId],
    queryFn: async ({ signal }) => await parley.getConversation(conversationId, { signal }),
  });
}

/** How a customer is called: by what they are known by. */
export function nameOf({ userId, phoneNumber, id }: Customer): string {
  return userId ?? phoneNumber ?? `Visitor ${id.slice(0, 8)}`;
}
