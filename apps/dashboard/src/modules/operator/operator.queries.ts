import type {
  Diagnosis,
  Installation,
  OperatedNode,
  OperatedOrganization,
  OperatedPhoneNumber,
  OperatorAuditLogEntry,
} from "@parley/contract";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { request } from "../../app/session/auth.ts";
import type { ListPage } from "../../ui/pages.tsx";

const NODES_INTERVAL_MS = 5_000;
/** The checks of providers and trunks wait for those that do not answer. */
const DIAGNOSIS_DEADLINE_MS = 300_000;

type Method = Parameters<typeof request>[0];

/** Sends a request to the operator's API. */
export async function operate<T>(method: Method, path: string, body?: object): Promise<T> {
  return (await request<{ data: T }>(method, `/operator/v1${path}`, body)).data;
}

async function list<Row>(path: string, query: Readonly<Record<string, string | number | undefined>>) {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return await request<ListPage<Row>>("GET", `/operator/v1${path}?${String(new URLSearchParams(given))}`);
}

export function organizationsQuery(filter: { page: number; search: string | undefined }) {
  return queryOptions({
    queryKey: ["operator", "organizations", filter],
    queryFn: async () => await list<OperatedOrganization>("/organizations", filter),
    placeholderData: keepPreviousData,
  });
}

export function organizationQuery(id: string) {
  return queryOptions({
    queryKey: ["operator", "organizations", id],
    queryFn: async () =>
      await operate<OperatedOrganization>("GET", `/organizations/${encodeURIComponent(id)}`),
  });
}

export function operatedNumbersQuery(filter: {
  page: number;
  e164: string | undefined;
  organizationId: string | undefined;
}) {
  return queryOptions({
    queryKey: ["operator", "numbers", filter],
    queryFn: async () => await list<OperatedPhoneNumber>("/number-claims", filter),
    placeholderData: keepPreviousData,
  });
}

export const nodesQuery = queryOptions({
  queryKey: ["operator", "nodes"],
  queryFn: async () => await operate<OperatedNode[]>("GET", "/nodes"),
  refetchInterval: NODES_INTERVAL_MS,
});

export const installationQuery = queryOptions({
  queryKey: ["operator", "installation"],
  queryFn: async () => await operate<Installation>("GET", "/installation"),
});

export function operatorLogQuery(page: number) {
  return queryOptions({
    queryKey: ["operator", "audit-log", page],
    queryFn: async () => await list<OperatorAuditLogEntry>("/operator-actions", { page }),
    placeholderData: keepPreviousData,
  });
}

/** Runs the checks of the node that answers, which takes some seconds. */
export async function diagnose(): Promise<Diagnosis> {
  const path = "/operator/v1/diagnosis";
  return (await request<{ data: Diagnosis }>("GET", path, undefined, DIAGNOSIS_DEADLINE_MS)).data;
}
