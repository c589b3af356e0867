import type { Parley } from "@parley/client";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";

export function membersQuery(parley: Parley, page: number) {
  return queryOptions({
    queryKey: ["members", "list", page],
    queryFn: async ({ signal }) => await parley.listMembers({ page, sort: "asc" }, { signal }),
    placeholderData: keepPreviousData,
  });
}

export function invitationsQuery(parley: Parley) {
  return queryOptions({
    queryKey: ["members", "invitations"],
    queryFn: async ({ signal }) => await parley.listInvitations({ pageSize: 100 }, { signal }),
  });
}

export function providersQuery(parley: Parley) {
  return queryOptions({
    queryKey: ["providers"],
    queryFn: async ({ signal }) => {
      const data = await parley.listProviders({ signal });
      // All of them are one page.
      return { data, page: 1, pageSize: data.length, total: data.length, hasNextPage: false };
    },
  });
}

export function apiKeysQuery(parley: Parley, page: number) {
  return queryOptions({
    queryKey: ["api-keys", page],
    queryFn: async ({ signal }) => await parley.listApiKeys({ page }, { signal }),
    placeholderData: keepPreviousData,
  });
}

type AuditLogFilter = NonNullable<Parameters<Parley["listAuditLog"]>[0]>;

export function auditLogQuery(parley: Parley, filter: AuditLogFilter) {
  return queryOptions({
    queryKey: ["audit-log", filter],
    queryFn: async ({ signal }) => await parley.listAuditLog(filter, { signal }),
    placeholderData: keepPreviousData,
  });
}
