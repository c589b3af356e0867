import assert from "node:assert/strict";
import type { Agent, Call, CallDetail } from "@parley/contract";
import { wordOverlap } from "../../apps/server/src/demo/word-overlap.ts";
import { waitFor } from "@parley/testing";
import { createAgent, textOf } from "./agents.ts";
import { confirm, receive, respond } from "./carrier.ts";
import type { Platform } from "./platform.ts";
import { GO_FORWARD, plainWords } from "./recordings.ts";

interface DataOf<T> {
  data: T;
}

export const GREETING = "Hello, this is the railway club calling.";
/** Who is called. */
export const CALLEE = "+14155550199";

export const trying = respond({ status: "100 Trying" });
export const ringing = respond({ status: "180 Ringing" });
export const answered = respond({ status: "200 OK", hasAudio: true });
export const busy = [respond({ status: "486 Busy Here" }), receive("ACK")];
/** What follows a CANCEL that came in time. */
export const cancelled = [
  receive("CANCEL"),
  confirm(),
  respond({ status: "487 Request Terminated", inviteSequence: 1 }),
  receive("ACK"),
];

interface PlacedCallOptions {
  /** Fields of the agent's trunk. */
  trunk?: object;
  ringTimeoutSeconds?: number;
}

/** Calls that a platform places, by its API. */
export class OutboundCalls {
  readonly #platform: Platform;

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  /** An agent whose calls go to this port. */
  async createAgent(port: number, trunk: object = {}): Promise<Agent> {
    const { agentId } = await createAgent(this.#platform, {
      firstMessage: "Good day, you have called us.",
      firstMessageOutbound: GREETING,
    });
    const { data: agent } = await this.#platform.api<DataOf<Agent>>("GET", `/agents/${agentId}`);
    await this.routeTo(agent, port, trunk);
    return agent;
  }

  async routeTo({ sipTrunkId }: Agent, port: number, trunk: object = {}): Promise<void> {
    const fields = { proxyAddress: `127.0.0.1:${port}`, ...trunk };
    await this.#platform.api("PATCH", `/sip-trunks/${sipTrunkId}`, fields);
  }

  async placeFrom({ id: agentId }: Agent, fields: object = {}): Promise<Call> {
    const call = { agentId, toNumber: CALLEE, ...fields };
    return (await this.#platform.api<DataOf<Call>>("POST", "/calls", call)).data;
  }

  /** From an agent of its own whose calls go to this port. */
  async place(port: number, { trunk, ...fields }: PlacedCallOptions = {}): Promise<Call> {
    const call = await this.placeFrom(await this.createAgent(port, trunk), fields);
    assert.deepEqual([call.status, call.direction, call.toNumber], ["queued", "outbound", CALLEE]);
    return call;
  }

  async read(id: string): Promise<CallDetail> {
    return (await this.#platform.api<DataOf<CallDetail>>("GET", `/calls/${id}`)).data;
  }

  async hangUp(id: string): Promise<Call> {
    return (await this.#platform.api<DataOf<Call>>("POST", `/calls/${id}/hangup`)).data;
  }

  /** Once the agent has greeted and has answered. */
  async hangUpAnswered(id: string): Promise<CallDetail> {
    await waitFor(
      "the agent's answer",
      async () => (await this.read(id)).transcript.filter(({ role }) => role === "agent").length === 2,
      25_000,
    );
    await this.hangUp(id);
    return await this.ended(id);
  }

  async becomes(id: string, status: Call["status"]): Promise<CallDetail> {
    return await waitFor(`the call to be ${status}`, async () => {
      const call = await this.read(id);
      return call.status === status && call;
    });
  }

  async ended(id: string, deadlineMs = 20_000): Promise<CallDetail> {
    return await waitFor(
      "the call's end",
      async () => {
        const call = await this.read(id);
        return call.endedAt !== null && call;
      },
      deadlineMs,
    );
  }

  async nothingIsLeft(): Promise<void> {
    const isNoneHeld = async (): Promise<boolean> =>
      (await this.#platform.metric("parley_active_calls")) === 0;
    await waitFor("no call to be held", isNoneHeld);
  }
}

export function assertEnd(call: CallDetail, status: string, endReason: string, detail?: RegExp): void {
  assert.deepEqual([call.status, call.endReason], [status, endReason], call.endDetail ?? "");
  if (detail !== undefined) assert.match(call.endDetail ?? "", detail);
}

/** The agent greeted, the callee said the sentence of "go-forward.wav", the agent answered. */
export function assertConversation(call: CallDetail): void {
  const messages = call.transcript.filter(({ type }) => type === "message");
  const roles = messages.map(({ role }) => role);
  assert.deepEqual(roles, ["agent", "user", "agent"], JSON.stringify(call.transcript));
  assert.equal(messages[0]?.text, GREETING);
  assert.equal(wordOverlap(GO_FORWARD, plainWords(textOf(call, "user"))), 1, textOf(call, "user"));
}
