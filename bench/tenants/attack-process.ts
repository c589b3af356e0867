import { setTimeout as sleep } from "node:timers/promises";
import { buildOffer, type Session, UserAgent } from "../../packages/sip/src/index.ts";
import { Connection } from "../api/load.ts";
import { serve } from "../support/peer.ts";

/** What the hostile organization has. */
export interface AttackTarget {
  url: string;
  apiKey: string;
  sipPort: number;
  /** A number of the hostile organization, for calls from `sipAddress`. */
  number: string;
  sipAddress: string;
  agentId: string;
  sipTrunkId: string;
  endedCallId: string;
}

export interface AttackReport {
  /** Requests to the API per status, by kind of attack. */
  requests: Record<string, Record<string, number>>;
  /** Results of INVITEs, by status. */
  invites: Record<string, number>;
}

export type AttackMethods = {
  start: (target: AttackTarget) => Promise<void>;
  stop: (argument: undefined) => Promise<AttackReport>;
};

const CONNECTIONS_PER_KIND = 4;
const INVITE_INTERVAL_MS = 40;
const INSTRUCT_INTERVAL_MS = 200;

interface Request {
  method: string;
  path: string;
  body?: object;
  apiKey?: string;
}

let counter = 0;

/** Each kind of request is sent as fast as it is answered. */
const kinds: Readonly<Record<string, (target: AttackTarget) => Request>> = {
  "big lists of calls": () => ({ method: "GET", path: "/v1/calls?pageSize=100" }),
  "big lists of agents": () => ({ method: "GET", path: "/v1/agents?pageSize=100" }),
  "changed agents": ({ agentId }) => ({
    method: "PATCH",
    path: `/v1/agents/${agentId}`,
    body: { promptTemplate: `${counter} ${"x".repeat(20_000)}` },
  }),
  trunks: () => ({
    method: "POST",
    path: "/v1/sip-trunks",
    body: { friendlyName: "T", proxyAddress: "127.0.0.3" },
  }),
  "checks of trunks": ({ sipTrunkId }) => ({ method: "POST", path: `/v1/sip-trunks/${sipTrunkId}/check` }),
  "repeated analyses": ({ endedCallId }) => ({ method: "POST", path: `/v1/calls/${endedCallId}/reanalyze` }),
  "outbound calls": ({ agentId }) => ({
    method: "POST",
    path: "/v1/calls",
    body: { agentId, toNumber: `+4930${1_000_000 + (counter % 1_000_000)}` },
  }),
  "browser calls": ({ agentId }) => ({ method: "POST", path: `/v1/agents/${agentId}/test-call` }),
  "wrong keys": () => ({ method: "GET", path: "/v1/agents", apiKey: `parley_wrong_${counter}` }),
};

/** The hostile organization: floods the API and the SIP port until it is stopped. */
class Attack {
  readonly #target: AttackTarget;
  readonly #report: AttackReport = { requests: {}, invites: {} };
  readonly #stopped = new AbortController();
  readonly #running: Promise<void>[] = [];
  readonly #sessions: Session[] = [];
  readonly #userAgent: UserAgent;

  constructor(target: AttackTarget, userAgent: UserAgent) {
    this.#target = target;
    this.#userAgent = userAgent;
    for (const kind of Object.keys(kinds))
      for (let index = 0; index < CONNECTIONS_PER_KIND; index++) this.#running.push(this.#flood(kind));
    this.#running.push(this.#floodCalls(), this.#instruct());
  }

  async stop(): Promise<AttackReport> {
    this.#stopped.abort();
    await Promise.all(this.#running);
    await Promise.all(this.#sessions.map(async (session) => await session.bye().catch(() => undefined)));
    await this.#userAgent.close({ deadlineMs: 500 });
    return this.#report;
  }

  async #flood(kind: string): Promise<void> {
    const next = kinds[kind];
    if (next === undefined) return;
    let connection = new Connection(this.#target.url);
    while (!this.#stopped.signal.aborted) {
      counter += 1;
      try {
        this.#count(kind, String(await this.#send(connection, next(this.#target))));
      } catch {
        this.#count(kind, "closed");
        connection.close();
        await sleep(10);
        connection = new Connection(this.#target.url);
      }
    }
    connection.close();
  }

  async #send(connection: Connection, { method, path, body, apiKey }: Request): Promise<number> {
    const headers = {
      "x-api-key": apiKey ?? this.#target.apiKey,
      ...(body !== undefined && { "content-type": "application/json" }),
    };
    return await connection.send({
      method,
      path,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }

  #count(kind: string, status: string): void {
    const counts = (this.#report.requests[kind] ??= {});
    counts[status] = (counts[status] ?? 0) + 1;
  }

  /** Places calls that are never hung up. */
  async #floodCalls(): Promise<void> {
    const { sipAddress, number, sipPort } = this.#target;
    const { signal } = this.#stopped;
    const calls: Promise<void>[] = [];
    while (!signal.aborted) {
      counter += 1;
      calls.push(
        this.#userAgent
          .invite({
            to: `sip:${number}@127.0.0.1:${sipPort}`,
            from: `sip:+4930${2_000_000 + counter}@${sipAddress}:${this.#userAgent.address.port}`,
            sdp: buildOffer({
              address: sipAddress,
              // No process listens on this port.
              port: 40_000 + 2 * (counter % 5_000),
              codecs: [{ name: "PCMU", clockRateHz: 8000, payloadType: 0 }],
            }),
            signal,
          })
          .then((result) => {
            const status = result.ok ? "200" : String(result.status);
            this.#report.invites[status] = (this.#report.invites[status] ?? 0) + 1;
            if (result.ok) this.#sessions.push(result.session);
          }),
      );
      await sleep(INVITE_INTERVAL_MS);
    }
    await Promise.allSettled(calls);
  }

  /** Has agents speak, whose language model then calls tools of a server that does not answer. */
  async #instruct(): Promise<void> {
    const list = new Connection(this.#target.url);
    while (!this.#stopped.signal.aborted) {
      const headers = { "x-api-key": this.#target.apiKey };
      const answer = await fetch(`${this.#target.url}/v1/calls?status=in_progress&pageSize=20`, { headers });
      const { data = [] }: { data?: { id: string }[] } = JSON.parse(await answer.text());
      for (const { id } of data.slice(0, 3)) {
        const body = { instruction: "Use the tool.", speak: true };
        const path = `/v1/calls/${id}/instructions`;
        this.#count("instructions", String(await this.#send(list, { method: "POST", path, body })));
      }
      await sleep(INSTRUCT_INTERVAL_MS);
    }
    list.close();
  }
}

let attack: Attack | undefined;

const methods: AttackMethods = {
  start: async (target) => {
    const userAgent = await UserAgent.listen({
      bind: { address: target.sipAddress, port: 0 },
      onInvite: (invite) => invite.reject(486),
    });
    attack = new Attack(target, userAgent);
  },
  stop: async () => (await attack?.stop()) ?? { requests: {}, invites: {} },
};
serve(methods);
