/** For tests: dialers of several nodes on one database and a carrier, all on a clock that the test drives. */
import type { CallEndReason } from "@parley/contract";
import { createLogger } from "../../../platform/logging/logging.ts";
import type { FinalCallStatus } from "../../calls/calls.service.ts";
import type {
  CampaignCall,
  OutboundCallsService,
  PreparedCall,
  RecordedCall,
} from "../../phone-calls/outbound/outbound-calls.service.ts";
import { CAMPAIGNS_TOPIC } from "../campaigns.service.ts";
import { type CampaignOffice, openOffice } from "../testing.ts";
import { DialClaims } from "./dial-claims.ts";
import { Dialer } from "./dialer.ts";

export interface SimulatedEnd {
  status: FinalCallStatus;
  endReason: CallEndReason;
  endDetail?: string;
  /** From the dial to the end. */
  afterMs: number;
  isAnswered?: boolean;
}

export interface Dial extends CampaignCall {
  callId: string;
  at: Date;
  node: number;
}

/** Longer than any wait for a retry in a simulation. */
const MAX_STEP_MS = 31 * 86_400_000;

export class Simulation {
  readonly office: CampaignOffice;
  /** In the order in which they were placed: INVITEs that the carrier received. */
  readonly dials: Dial[] = [];
  readonly dialers: Dialer[];
  /** What the carrier does with a dial. */
  answer: (dial: Dial) => SimulatedEnd = () => ({
    status: "completed",
    endReason: "user_hangup",
    isAnswered: true,
    afterMs: 30_000,
  });
  /** Called when a call is about to be dialed, before its mark. False: the node dies at this moment. */
  beforeMark: (dial: Dial) => boolean | Promise<boolean> = () => true;
  /** Whether nodes have a place for another call. */
  hasPlace = true;
  readonly #clock: { nowMs: number };
  readonly #pending: { atMs: number; end: () => Promise<void> }[] = [];
  #placing: Promise<void>[] = [];

  static async open({ at, nodes = 1 }: { at: string; nodes?: number }): Promise<Simulation> {
    const clock = { nowMs: Date.parse(at) };
    const office = await openOffice({ clock: { now: () => new Date(clock.nowMs) } });
    const { modules, database, organizationId } = office.server;
    // Records have the database's time, so that the rate of calls cannot be limited by the driven clock.
    await modules.organizationLimits.override(database, organizationId, {
      callsPerMinute: 1_000_000,
      concurrentCalls: 1_000_000,
      campaigns: 1_000_000,
    });
    return new Simulation(office, clock, nodes);
  }

  private constructor(office: CampaignOffice, clock: { nowMs: number }, nodes: number) {
    this.office = office;
    this.#clock = clock;
    this.dialers = Array.from({ length: nodes }, (_, node) => this.#createDialer(node));
  }

  get now(): Date {
    return new Date(this.#clock.nowMs);
  }

  pass(ms: number): void {
    this.#clock.nowMs += ms;
  }

  async close(): Promise<void> {
    await this.office.server.close();
  }

  /** Lets each node dial once. Returns the milliseconds until something is due; `undefined` if nothing is. */
  async step(): Promise<number | undefined> {
    const waits: number[] = [];
    for (const dialer of this.dialers) waits.push((await dialer.round()) ?? Infinity);
    await Promise.all(this.#placing.splice(0));
    const nextEndMs = Math.min(Infinity, ...this.#pending.map(({ atMs }) => atMs));
    const waitMs = Math.min(...waits, nextEndMs - this.#clock.nowMs);
    return waitMs === Infinity ? undefined : waitMs;
  }

  /** Runs until nothing is due any more, or until a time. */
  async run(until = new Date(8e15)): Promise<void> {
    for (;;) {
      const waitMs = await this.step();
      if (waitMs === undefined || waitMs > MAX_STEP_MS || this.#clock.nowMs + waitMs > until.getTime())
        return;
      this.pass(Math.max(0, waitMs));
      await this.#endCalls();
    }
  }

  async #endCalls(): Promise<void> {
    const over = this.#pending.filter(({ atMs }) => atMs <= this.#clock.nowMs);
    for (const each of over) {
      this.#pending.splice(this.#pending.indexOf(each), 1);
      await each.end();
    }
  }

  #createDialer(node: number): Dialer {
    const { modules, database, organizationId } = this.office.server;
    const clock = { now: () => this.now };
    const { calls, outboundPlanner, campaigns, doNotCall } = modules;
    // oxlint-disable-next-line typescript/no-this-alias -- an object's getter below has its own
    const simulation = this;
    const outboundCalls: Pick<OutboundCallsService, "hasPlaceForCampaigns" | "prepare" | "record" | "dial"> =
      {
        get hasPlaceForCampaigns() {
          return simulation.hasPlace;
        },
        prepare: async (_organizationId, request) => {
          if (!simulation.hasPlace) return undefined;
          const line = await outboundPlanner.planLine(organizationId, request);
          return { line, place: { media: noPlace, ...noPlace } };
        },
        record: async (prepared: PreparedCall, call: CampaignCall) =>
          await modules.outboundCalls.record(prepared, call),
        dial: (_prepared, recorded, call, beforeInvite) => {
          this.#placing.push(this.#dial(node, recorded, call, beforeInvite));
        },
      };
    const claims = new DialClaims(database, { clock, calls, outboundCalls, doNotCall });
    const bus = { publish: async () => {}, subscribe: () => () => {}, onReconnect: () => () => {} };
    const logger = createLogger({ level: "silent" });
    const topic = CAMPAIGNS_TOPIC;
    return new Dialer({ database, bus, clock, campaigns, outboundCalls, claims, topic, logger });
  }

  async #dial(
    node: number,
    { callId }: RecordedCall,
    call: CampaignCall,
    beforeInvite: () => Promise<boolean>,
  ): Promise<void> {
    const { calls } = this.office.server.modules;
    const dial: Dial = { ...call, callId, at: this.now, node };
    if (!(await this.beforeMark(dial))) return;
    if (!(await beforeInvite())) {
      const endDetail = "withdrawn before it was dialed";
      await calls.finish(callId, { status: "canceled", endReason: "canceled", endDetail, endedAt: this.now });
      return;
    }
    this.dials.push(dial);
    const { afterMs, isAnswered = false, ...end } = this.answer(dial);
    const names = { llmName: "", sttName: "", ttsName: "" };
    if (isAnswered) await calls.markAnswered(callId, { ...names, at: this.now });
    this.#pending.push({
      atMs: this.#clock.nowMs + afterMs,
      end: async () => void (await calls.finish(callId, { ...end, endedAt: this.now })),
    });
  }

  /** Ends a call as another node does after its node has died. */
  async lose(callId: string): Promise<void> {
    const end = { status: "failed", endReason: "node_lost", endedAt: this.now } as const;
    await this.office.server.modules.calls.finish(callId, end);
  }
}

const noPlace = { [Symbol.dispose]: () => undefined };
