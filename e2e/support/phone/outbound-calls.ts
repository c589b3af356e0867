import assert from "node:assert/strict";
import type { Agent, Call, CallDetail } from "@parley/contract";
import { waitFor } from "@parley/testing";
import { createAgent } from "../platform/agents.ts";
import { type Carrier, confirm, cue, hangUp, play, receive, respond } from "./carrier.ts";
import type { Platform } from "../platform/platform.ts";
import { answerOver, greetingOver } from "../audio/talk.ts";

import { whenThereIsRoom } from "../platform/when-there-is-room.ts";

export const GREETING = "Hello, this is the railway club calling.";
/** The called number. */
export const CALLEE = "+14155550199";

export const trying = respond({ status: "100 Trying" });
export const ringing = respond({ status: "180 Ringing" });
export const answered = respond({ status: "200 OK", hasAudio: true });
/** A callee that speaks and hangs up on cue: see {@link OutboundCalls.talkWith}. */
export const talk = [answered, receive("ACK"), cue(), play(), cue(), hangUp()];
export const busy = [respond({ status: "486 Busy Here" }), receive("ACK")];
/** Steps after a CANCEL that was in time. */
export const canceled = [
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

/** Calls that a platform places through its API. */
export class OutboundCalls {
  readonly #platform: Platform;

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  /** Creates an agent whose trunk leads to this port. */
  async createAgent(port: number, trunk: object = {}): Promise<Agent> {
    const { agentId } = await createAgent(this.#platform, {
      firstMessage: "Good day, you have called us.",
      firstMessageOutbound: GREETING,
    });
    const agent = await this.#platform.api.getAgent(agentId);
    await this.routeTo(agent, port, trunk);
    return agent;
  }

  async routeTo({ sipTrunkId }: Agent, port: number, trunk: object = {}): Promise<void> {
    const fields = { proxyAddress: `127.0.0.1:${port}`, ...trunk };
    assert.ok(sipTrunkId !== null);
    await this.#platform.api.updateSipTrunk(sipTrunkId, fields);
  }

  async placeFrom({ id: agentId }: Agent, fields: object = {}): Promise<Call> {
    const call = { agentId, toNumber: CALLEE, ...fields };
    return await this.#platform.api.createCall(call);
  }

  /** Places a call from a new agent whose trunk leads to this port. */
  async place(port: number, { trunk, ...fields }: PlacedCallOptions = {}): Promise<Call> {
    const call = await this.placeFrom(await this.createAgent(port, trunk), fields);
    assert.deepEqual([call.status, call.direction, call.toNumber], ["queued", "outbound", CALLEE]);
    return call;
  }

  async read(id: string): Promise<CallDetail> {
    return await this.#platform.api.getCall(id);
  }

  async hangUp(id: string): Promise<Call> {
    return await this.#platform.api.hangUpCall(id);
  }

  /** Places a call and waits for its end. Retries while no node has capacity to dial. */
  async untilDialed(agent: Agent, fields: object): Promise<CallDetail> {
    return await whenThereIsRoom(async () => {
      const { id } = await this.placeFrom(agent, fields);
      const call = await this.ended(id, 60_000);
      if (call.endDetail === "no node could place the call") throw new Error(`503 ${call.endDetail}`);
      return call;
    });
  }

  /** Waits until the agent has finished its greeting. */
  async greetingOver(id: string): Promise<CallDetail> {
    return await greetingOver(async () => await this.read(id));
  }

  /** Waits until the agent has answered the callee. */
  async answerOver(id: string): Promise<CallDetail> {
    return await answerOver(async () => await this.read(id));
  }

  /** Makes a callee with the steps of {@link talk} speak and hang up at the right time. */
  async talkWith(carrier: Carrier, id: string): Promise<CallDetail> {
    await this.greetingOver(id);
    carrier.cue();
    await this.answerOver(id);
    carrier.cue();
    await carrier.done;
    return await this.ended(id);
  }

  /** Hangs up through the API after the callee's question was answered. */
  async hangUpAnswered(id: string): Promise<CallDetail> {
    await this.answerOver(id);
    await this.hangUp(id);
    return await this.ended(id);
  }

  async becomes(id: string, status: Call["status"]): Promise<CallDetail> {
    return await waitFor(`the call to be ${status}`, async () => {
      const call = await this.read(id);
      if (call.status === status) return call;
      assert.equal(call.endedAt, null, `${call.status}: ${call.endReason} ${call.endDetail}`);
      return undefined;
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
    const isNoneActive = async (): Promise<boolean> =>
      (await this.#platform.metric("parley_active_calls")) === 0;
    await waitFor("no call to be active", isNoneActive);
  }
}

export function assertEnd(call: CallDetail, status: string, endReason: string, detail?: RegExp): void {
  assert.deepEqual([call.status, call.endReason], [status, endReason], call.endDetail ?? "");
  if (detail !== undefined) assert.match(call.endDetail ?? "", detail);
}
