/** For tests: an organization whose agent can call in the United States, and its campaigns. */
import type { Campaign } from "@parley/contract";
import { createTestServer, type TestResponse, type TestServer, type TestServerOptions } from "../testing.ts";

export const FROM = "+14155550123";

export interface CampaignOffice {
  server: TestServer;
  agentId: string;
  trunkId: string;
  /** Sends `POST /campaigns` with these fields besides the required ones. */
  create: (fields?: object, headers?: Record<string, string>) => Promise<TestResponse>;
  /** Creates a campaign that must be accepted. */
  campaign: (fields?: object) => Promise<Campaign & { contactsAdded: number; duplicatesSkipped: number }>;
  read: (id: string) => Promise<Campaign>;
  /** Sends `POST /campaigns/{id}/{action}`. */
  act: (id: string, action: string, body?: object) => Promise<TestResponse>;
}

export async function openOffice(options: TestServerOptions = {}): Promise<CampaignOffice> {
  const server = await createTestServer(options);
  const { modules, organizationId } = server;
  const trunk = await modules.sipTrunks.create(organizationId, {
    friendlyName: "Trunk",
    proxyAddress: "127.0.0.1",
  });
  const agent = await modules.agents.create(server, {
    name: "Ada",
    sipTrunkId: trunk.id,
    timezone: "America/Chicago",
    defaultVariables: { from: "agent", of: "agent", by: "agent", to: "agent" },
  });
  await modules.phoneNumbers.add(server, agent.id, { e164: FROM });
  const create: CampaignOffice["create"] = async (fields = {}, headers = {}) => {
    const body = { name: "Spring", agentId: agent.id, fromNumber: FROM, ...fields };
    return await server.request("POST", "/campaigns", body, undefined, headers);
  };
  return {
    server,
    agentId: agent.id,
    trunkId: trunk.id,
    create,
    campaign: async (fields) => dataOf(await create(fields)),
    read: async (id) => dataOf(await server.request("GET", `/campaigns/${id}`)),
    act: async (id, action, body) => await server.request("POST", `/campaigns/${id}/${action}`, body),
  };
}

/** The `data` of an answer that must be a success. */
export function dataOf<T>({ status, body }: TestResponse): T {
  const text = JSON.stringify(body);
  if (status >= 300) throw new Error(`${status} ${text}`);
  const { data }: { data: T } = JSON.parse(text);
  return data;
}

/** The code and the paths of the issues of a refusal. */
export function refusalOf({ status, body }: TestResponse): [number, string, ...string[]] {
  const { error, details }: { error: string; details?: { issues: { path: string }[] } } = JSON.parse(
    JSON.stringify(body),
  );
  return [status, error, ...(details?.issues.map(({ path }) => path) ?? [])];
}

/** A number that may be called, by its index. */
export function numberAt(index: number): string {
  return `+1415555${String(1000 + index).slice(-4)}`;
}

export function contactsUpTo(count: number): { toNumber: string }[] {
  return Array.from({ length: count }, (_, index) => ({ toNumber: numberAt(index) }));
}
