import type { Agent, Call, CallDetail, PhoneNumber, SipTrunk } from "@parley/contract";
import { sampleAgent } from "@parley/contract/sample-agent";
import { demoNumber } from "./demo-agent.ts";

/** API requests of the demo, which any client could send. */
export class DemoApi {
  readonly #baseUrl: string;
  readonly #apiKey: string;

  constructor(httpUrl: string, apiKey: string) {
    this.#baseUrl = `${httpUrl}/v1`;
    this.#apiKey = apiKey;
  }

  /** Creates or updates the demo's agent and its number to this release's definition, and returns the agent's id. */
  async ensureAgent(): Promise<string> {
    const query = new URLSearchParams({ search: sampleAgent.name });
    const [existing] = await this.#request<Agent[]>("GET", `/agents?${query.toString()}`);
    if (existing !== undefined) {
      await this.#request("PATCH", `/agents/${existing.id}`, sampleAgent);
      return existing.id;
    }
    const trunk = await this.#request<SipTrunk>("POST", "/sip-trunks", { friendlyName: "Demo" });
    const agent = await this.#request<Agent>("POST", "/agents", { ...sampleAgent, sipTrunkId: trunk.id });
    await this.#request<PhoneNumber>("POST", `/agents/${agent.id}/phone-numbers`, { e164: demoNumber });
    return agent.id;
  }

  /** The newest call if it began at `since` or later. */
  async findCallSince(since: Date): Promise<CallDetail | undefined> {
    const [newest] = await this.#request<Call[]>("GET", "/calls?pageSize=1");
    if (newest === undefined || new Date(newest.createdAt) < since) return undefined;
    return await this.#request<CallDetail>("GET", `/calls/${newest.id}`);
  }

  async #request<T>(method: string, route: string, body?: unknown): Promise<T> {
    const response = await fetch(`${this.#baseUrl}${route}`, {
      method,
      headers: {
        "x-api-key": this.#apiKey,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${route} returned ${response.status}: ${text}`);
    const { data } = JSON.parse(text) as { data: T };
    return data;
  }
}
