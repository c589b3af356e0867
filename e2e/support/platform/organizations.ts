import { type AgentCreate, Parley, type SipTrunkCreate } from "@parley/client/api";
import type { LimitsUpdate } from "@parley/contract";
import type { Platform } from "./platform.ts";

export const OPERATOR_KEY = "operator_key_of_this_test";

/** The operator's API of a platform that was started with `OPERATOR_KEY`. */
export async function operate<T>(
  platform: Platform,
  method: "GET" | "POST" | "PATCH" | "DELETE",
  path: string,
  body?: object,
): Promise<T> {
  const response = await fetch(`${platform.url}/operator/v1${path}`, {
    method,
    headers: { "x-api-key": OPERATOR_KEY, ...(body !== undefined && { "content-type": "application/json" }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${text}`);
  const { data }: { data: T } = JSON.parse(text);
  return data;
}

/** An organization of a shared platform. */
export interface Tenant {
  id: string;
  api: Parley;
  /** Creates a trunk, and an agent that uses it. */
  addAgent: (trunk: Partial<SipTrunkCreate>, agent?: Partial<AgentCreate>) => Promise<{ agentId: string }>;
}

export async function createTenant(
  platform: Platform,
  name: string,
  limits: LimitsUpdate = {},
): Promise<Tenant> {
  const { id, apiKey } = await operate<{ id: string; apiKey: string }>(platform, "POST", "/organizations", {
    name,
    limits,
  });
  const api = new Parley({ baseUrl: `${platform.url}/v1`, apiKey, maxRetries: 0 });
  return {
    id,
    api,
    addAgent: async (trunk, agent) => {
      const { id: sipTrunkId } = await api.createSipTrunk({ friendlyName: name, ...trunk });
      const { id: agentId } = await api.createAgent({
        name,
        sipTrunkId,
        voiceId: null,
        firstMessage: "Hello.",
        ...agent,
      });
      return { agentId };
    },
  };
}
