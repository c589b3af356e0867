import { randomBytes } from "node:crypto";
import type { Call, CallCreate, Variables } from "@parley/contract";
import type { Resolver } from "@parley/sip/resolver";
import type { Logger } from "pino";
import type { LocalSpeechPlaces } from "../../../inference/local-speech-places.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { MediaPool } from "../../../media/media-pool.ts";
import { afterCommit } from "../../../platform/database/joint-transaction.ts";
import type { CallCommand, CallCommandAnswer, PlacingCommand } from "../../active-calls/call-command.ts";
import type { CallPlacement } from "../../active-calls/call-placement.ts";
import { agentColumns, type ResolvedAgent } from "../../agents/versions/agent-resolution.rules.ts";
import type { CallsService, NewCall } from "../../calls/calls.service.ts";
import type { SipEndpoint } from "../../sip-trunks/trunk-check.ts";
import {
  type CallPlace,
  countUnreservedPlaces,
  hasPlaceFor,
  takePlace,
} from "../../active-calls/call-places.ts";
import type { CallToRegister, ActiveCallRegistry } from "../../active-calls/active-call-registry.ts";
import { OutboundCall } from "./outbound-call.ts";
import type { PhoneSessions } from "../phone-session.ts";
import type { CallTransfers } from "../transfers/call-transfers.ts";
import type {
  Dialing,
  LineRequest,
  OutboundLine,
  OutboundPlan,
  OutboundPlanner,
} from "./outbound-planner.ts";

interface OutboundCallsOptions {
  nodeId: string;
  calls: CallsService;
  planner: OutboundPlanner;
  placement: CallPlacement;
  sip: Pick<SipEndpoint, "agent">;
  activeCalls: Pick<ActiveCallRegistry, "isTakingCalls" | "size" | "carry" | "placeShares">;
  media: Pick<MediaPool, "hasFreePlace" | "freePlaces" | "reserve" | "open">;
  speechPlaces: LocalSpeechPlaces;
  /** Share of this node's places that campaigns leave free. */
  inboundReservePercent: number;
  /** The operator's public address. `undefined`: the local address that the trunk reaches. */
  publicAddress: string | undefined;
  sessions: PhoneSessions;
  transfers: CallTransfers;
  resolver: Pick<Resolver, "addresses">;
  clock: Clock;
  logger: Logger;
}

/** Command to dial a call that another node has placed. */
type DialCommand = Extract<CallCommand, { type: "dial" }>;
type Dial = Extract<PlacingCommand, { type: "dial" }>;

const DEFAULT_RING_TIMEOUT_SECONDS = 60;

/** The next call of a campaign, with its place on this node. */
export interface PreparedCall {
  line: OutboundLine;
  place: CallPlace;
}

export interface CampaignCall {
  /** The line's agent, with what this attempt does differently. */
  agent: ResolvedAgent;
  toNumber: string;
  variables: Variables;
  campaignId: string;
  campaignContactId: string;
}

export interface RecordedCall {
  callId: string;
  conversationId: string;
  sipCallId: string;
}

/** Places outbound calls. */
export class OutboundCallsService {
  readonly #options: OutboundCallsOptions;

  constructor(options: OutboundCallsOptions) {
    this.#options = options;
  }

  /**
   * Creates a call and dials it after the commit. Throws what the planner throws, then `capacity_exceeded` if
   * no node has a free place.
   */
  async place(organizationId: string, request: CallCreate): Promise<Call> {
    const { nodeId, calls, planner, placement } = this.#options;
    const { ringTimeoutSeconds = DEFAULT_RING_TIMEOUT_SECONDS } = request;
    const plan = await planner.plan(organizationId, request);
    if (!hasPlaceFor(this.#options, plan.agent)) await placement.requireOtherNode(nodeId);
    const variables = { ...plan.agent.variables, ...request.variables };
    const sipCallId = randomBytes(16).toString("hex");
    const ids = await this.#write(plan, { nodeId, sipCallId, variables });
    const call = await calls.describe(organizationId, ids.callId);
    const command: Dial = { type: "dial", ringTimeoutMs: ringTimeoutSeconds * 1000 };
    await afterCommit(() => {
      const place = takePlace(this.#options, plan.agent);
      if (place === undefined) void this.#dialRemotely(ids.callId, command);
      else
        dial(
          this.#options,
          plan,
          { ...toRecord(ids, plan, variables, this.#options.clock.now()), sipCallId },
          command,
          place,
        );
    });
    return call;
  }

  /**
   * Plans calls of a campaign by this node and takes a place for the next one. Returns `undefined` if this node has no place
   * beyond the share that is reserved for inbound calls. Throws what `OutboundPlanner.planLine` throws.
   */
  async prepare(organizationId: string, request: LineRequest): Promise<PreparedCall | undefined> {
    if (!this.hasPlaceForCampaigns) return undefined;
    const line = await this.#options.planner.planLine(organizationId, request);
    // Another call may have taken a place meanwhile.
    const place = this.hasPlaceForCampaigns ? takePlace(this.#options, line.agent) : undefined;
    return place && { line, place };
  }

  /** Whether this node has a place beyond the share that is reserved for inbound calls. */
  get hasPlaceForCampaigns(): boolean {
    return countUnreservedPlaces(this.#options, this.#options.inboundReservePercent) > 0;
  }

  /** Creates a prepared call, in the current joint transaction. Throws `rate_limited`. */
  async record(
    { line }: PreparedCall,
    { agent: _agent, toNumber, variables, ...campaign }: CampaignCall,
  ): Promise<RecordedCall> {
    const sipCallId = randomBytes(16).toString("hex");
    const call = { nodeId: this.#options.nodeId, sipCallId, variables, ...campaign };
    const ids = await this.#write({ ...line, toNumber }, call);
    return { ...ids, sipCallId };
  }

  /** Dials a recorded call. The call releases its place at its end. */
  dial(
    { line, place }: PreparedCall,
    { sipCallId, ...ids }: RecordedCall,
    { agent, toNumber, variables, campaignId }: CampaignCall,
    beforeInvite: () => Promise<boolean>,
  ): void {
    const dialing = { ...line, agent, toNumber };
    const record = toRecord(ids, dialing, variables, this.#options.clock.now());
    const command: Dial = { type: "dial", ringTimeoutMs: DEFAULT_RING_TIMEOUT_SECONDS * 1000 };
    dial(this.#options, dialing, { ...record, sipCallId, campaignId }, command, place, beforeInvite);
  }

  /** Dials a call that another node placed. */
  async dialPlaced(callId: string, command: DialCommand): Promise<CallCommandAnswer> {
    const { planner, placement } = this.#options;
    let place: CallPlace | undefined;
    const answer = await placement.take(callId, command, {
      prepare: async (call) => {
        const plan = await planner.planAgain(call);
        place = plan && takePlace(this.#options, plan.agent);
        return place && plan && { plan, place };
      },
      begin: ({ conversationId, sipCallId, variables }, prepared) => {
        const record = toRecord(
          { callId, conversationId },
          prepared.plan,
          variables,
          this.#options.clock.now(),
        );
        const dialed = { ...record, sipCallId: sipCallId ?? callId };
        dial(this.#options, prepared.plan, dialed, command, prepared.place);
      },
    });
    if (answer !== "done") place?.[Symbol.dispose]();
    return answer;
  }

  async #dialRemotely(id: string, command: Dial): Promise<void> {
    const { nodeId, calls, placement, clock, logger } = this.#options;
    try {
      if (await placement.handOver(id, nodeId, command)) return;
      const endDetail = "no node could place the call";
      await calls.finish(id, { status: "failed", endReason: "dial_failed", endDetail, endedAt: clock.now() });
    } catch (error) {
      // This node closes the call once the database answers, because it does not run it.
      logger.error({ err: error, callId: id }, "handing a call to another node failed");
    }
  }

  async #write(
    { agent, from, toNumber, sipTrunkId }: OutboundPlan,
    call: Pick<NewCall, "nodeId" | "sipCallId" | "variables" | "campaignId" | "campaignContactId">,
  ): Promise<{ callId: string; conversationId: string }> {
    return await this.#options.calls.open({
      ...call,
      ...agentColumns(agent),
      channel: "phone",
      direction: "outbound",
      status: "queued",
      phoneNumberId: from.id,
      sipTrunkId,
      fromNumber: from.e164,
      toNumber,
      startedAt: null,
    });
  }
}

function toRecord(
  ids: { callId: string; conversationId: string },
  { agent, fromNumber, toNumber }: Dialing,
  variables: Variables,
  at: Date,
): CallToRegister {
  return { ...ids, agent, variables, channel: "phone", direction: "outbound", fromNumber, toNumber, at };
}

function dial(
  { sip, activeCalls, media, publicAddress, sessions, resolver, transfers, logger }: OutboundCallsOptions,
  { route, sipTrunkId, fromNumber, toNumber, destinations }: Dialing,
  record: CallToRegister & { sipCallId: string },
  { ringTimeoutMs }: Dial,
  place: CallPlace,
  beforeInvite?: () => Promise<boolean>,
): void {
  const { callId, sipCallId } = record;
  logger.info({ callId, sipCallId, agentId: record.agent.id }, "outbound call placed");
  const carried = activeCalls.carry(record, (prepare) => {
    return new OutboundCall({
      userAgent: sip.agent,
      route,
      sipCallId,
      toNumber,
      ringTimeoutMs,
      beforeInvite,
      destinations,
      transfer: transfers.by({
        organizationId: record.agent.organizationId,
        sipTrunkId,
        fromNumber,
        callerNumber: toNumber,
      }),
      publicAddress,
      sessions,
      resolver,
      openMedia: async (audio, handlers) =>
        await media.open({ ...(await prepare()), ...audio }, handlers, place.media),
    });
  });
  // Detached: an error in one call must not end the node.
  carried
    .catch((error: unknown) => logger.error({ err: error, callId }, "carrying a call failed"))
    .finally(() => place[Symbol.dispose]());
}
