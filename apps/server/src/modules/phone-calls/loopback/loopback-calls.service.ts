import { randomBytes } from "node:crypto";
import type { Variables } from "@parley/contract";
import type { UserAgent } from "@parley/sip";
import type { Resolver } from "@parley/sip/resolver";
import type { Logger } from "pino";
import type { LocalSpeechPlaces } from "../../../inference/local-speech-places.ts";
import type { MediaPool } from "../../../media/media-pool.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Database } from "../../../platform/database/database.ts";
import { joinTransaction } from "../../../platform/database/joint-transaction.ts";
import type {
  ActiveCallRegistry,
  CallSetup,
  CallToRegister,
} from "../../active-calls/active-call-registry.ts";
import {
  type CallPlace,
  countUnreservedPlaces,
  takeTestPlaces,
  type TestCallPlaces,
} from "../../active-calls/call-places.ts";
import { agentColumns, type ResolvedAgent } from "../../agents/versions/agent-resolution.rules.ts";
import type { CallsService } from "../../calls/calls.service.ts";
import type { OutgoingRoute } from "../../sip-trunks/sip-trunks.service.ts";
import { OutboundCall } from "../outbound/outbound-call.ts";
import type { PhoneSessions } from "../phone-session.ts";
import { AwaitedSipCall } from "./awaited-sip-call.ts";
import { LOOPBACK_ADDRESS, type LoopbackEndpoint, type LoopbackRoute } from "./loopback-endpoint.ts";

interface LoopbackCallsOptions {
  nodeId: string;
  database: Database;
  endpoint: LoopbackEndpoint;
  calls: Pick<CallsService, "open">;
  activeCalls: Pick<ActiveCallRegistry, "isTakingCalls" | "size" | "carry" | "carryOut" | "placeShares">;
  media: Pick<MediaPool, "hasFreePlace" | "freePlaces" | "reserve" | "open">;
  speechPlaces: LocalSpeechPlaces;
  /** Share of this node's places that test calls leave free. */
  inboundReservePercent: number;
  sessions: PhoneSessions;
  resolver: Pick<Resolver, "addresses">;
  clock: Clock;
  logger: Logger;
}

/** One side of a loopback call: what its conversation runs on. */
export interface LoopbackSide {
  agent: ResolvedAgent;
  variables: Variables;
  /** Changes what its conversation runs on. */
  adjust?: (setup: CallSetup) => CallSetup;
}

/** An agent and the tester that calls it. */
export interface LoopbackSides {
  /** Numbers in both records, E.164; no number is dialed. Null: none. */
  fromNumber: string | null;
  toNumber: string | null;
  agent: LoopbackSide;
  tester: LoopbackSide;
}

/** The records of both sides. */
export interface LoopbackRecords {
  /** The tester's outbound call. */
  callId: string;
  conversationId: string;
  /** The agent's inbound call. */
  inboundCallId: string;
  inboundConversationId: string;
  sipCallId: string;
  at: Date;
}

/** A loopback call that is under way. */
export interface LoopbackCall {
  /** Resolves when the ends of both sides are written. Never rejects. */
  ended: Promise<void>;
  /** Ends both sides, as an API request does. Idempotent. */
  hangUp: () => void;
}

/** Name of the agent's side where a number would stand. */
const AGENT_USER = "agent";
/** Time that the sides of a call have to answer; both are on this machine. */
const RING_TIMEOUT_MS = 60_000;
/** Time in which the end of one side reaches the other by SIP. */
const END_GRACE_MS = 5_000;

/**
 * Calls between a tester and an agent on the same node, over SIP and RTP on the loopback address: without a trunk, a
 * number or a carrier. Both sides are calls of this node, with records, transcripts and recordings.
 */
export class LoopbackCallsService {
  readonly #options: LoopbackCallsOptions;
  readonly #reserved = new Set<TestCallPlaces>();

  constructor(options: LoopbackCallsOptions) {
    this.#options = options;
  }

  /**
   * Takes the places of both sides, or none: `undefined` if this node has no two places beyond the share that is
   * reserved for inbound calls.
   */
  reserve(agent: ResolvedAgent, tester: ResolvedAgent): TestCallPlaces | undefined {
    const places = this.#hasUnreservedPlaces ? takeTestPlaces(this.#options, agent, tester) : undefined;
    if (places === undefined) return undefined;
    this.#reserved.add(places);
    const dispose = (): void => {
      this.#reserved.delete(places);
      places[Symbol.dispose]();
    };
    return { ...places, [Symbol.dispose]: dispose };
  }

  /** Whether a call is likely to get its places now. */
  get hasPlaces(): boolean {
    return this.#hasUnreservedPlaces && this.#options.speechPlaces.hasPlacesForTest(["", ""]);
  }

  /** A node without calls leaves none free: one with few places could never test. */
  get #hasUnreservedPlaces(): boolean {
    const { activeCalls, inboundReservePercent } = this.#options;
    if (activeCalls.size === 0 && this.#reserved.size === 0)
      return activeCalls.isTakingCalls && inboundReservePercent < 100;
    return countUnreservedPlaces(this.#options, inboundReservePercent) >= 2;
  }

  /** Creates the records of both sides, or none; joins the current joint transaction. Throws `rate_limited`. */
  async record({ agent, tester, fromNumber, toNumber }: LoopbackSides): Promise<LoopbackRecords> {
    const { nodeId, database, endpoint, calls, clock } = this.#options;
    await endpoint.listen();
    const at = clock.now();
    const sipCallId = randomBytes(16).toString("hex");
    const shared = {
      ...agentColumns(agent.agent),
      channel: "phone" as const,
      phoneNumberId: null,
      sipTrunkId: null,
      fromNumber,
      toNumber,
      nodeId,
      sipCallId,
      isTest: true,
    };
    return await joinTransaction(database, async () => {
      const inbound = await calls.open({
        ...shared,
        direction: "inbound",
        status: "ringing",
        variables: agent.variables,
        startedAt: at,
      });
      const outbound = await calls.open({
        ...shared,
        // The tester runs on no revision of the agent: nothing of the agent's happens after its call.
        agentRevision: null,
        configurationRevision: null,
        postCallWebhookUrl: null,
        direction: "outbound",
        status: "queued",
        variables: tester.variables,
        startedAt: null,
      });
      return {
        ...outbound,
        inboundCallId: inbound.callId,
        inboundConversationId: inbound.conversationId,
        sipCallId,
        at,
      };
    });
  }

  /** Starts a recorded call, which releases its places at its end. */
  start(sides: LoopbackSides, records: LoopbackRecords, places: TestCallPlaces): LoopbackCall {
    const { logger } = this.#options;
    const { callId, inboundCallId } = records;
    logger.info({ callId, inboundCallId, agentId: sides.agent.agent.id }, "test call started");
    const hangUp = (): void => this.#hangUpBoth(records);
    const ended = this.#run(sides, records, places)
      .catch((error: unknown) => logger.error({ err: error, callId }, "carrying a test call failed"))
      .finally(() => places[Symbol.dispose]());
    return { ended, hangUp };
  }

  async #run(sides: LoopbackSides, records: LoopbackRecords, places: TestCallPlaces): Promise<void> {
    using route = this.#options.endpoint.open();
    const agentEnded = this.#carryAgent(sides, records, places.agent, route);
    const testerEnded = this.#carryTester(sides, records, places.tester, route);
    await Promise.race([agentEnded, testerEnded]);
    // The other side's INVITE, CANCEL or BYE is on its way. If it is lost, both sides end here.
    const late = setTimeout(() => this.#hangUpBoth(records), END_GRACE_MS);
    await Promise.all([agentEnded, testerEnded]);
    clearTimeout(late);
  }

  #hangUpBoth({ callId, inboundCallId }: LoopbackRecords): void {
    for (const id of [callId, inboundCallId]) void this.#options.activeCalls.carryOut(id, { type: "hangUp" });
  }

  async #carryAgent(
    sides: LoopbackSides,
    { inboundCallId: callId, inboundConversationId: conversationId, sipCallId, at }: LoopbackRecords,
    place: CallPlace,
    route: LoopbackRoute,
  ): Promise<void> {
    const { activeCalls, media, sessions, resolver } = this.#options;
    const { adjust = unchanged } = sides.agent;
    const ids = { callId, conversationId, at };
    const record = { ...toRecord(sides, sides.agent, ids), direction: "inbound", sipCallId } as const;
    await activeCalls.carry(record, (prepare) => {
      return new AwaitedSipCall({
        arrived: route.arrived,
        mediaAddress: LOOPBACK_ADDRESS,
        isSrtpRequired: false,
        sessions,
        resolver,
        openMedia: async (sampleRateHz, handlers) =>
          await media.open({ ...adjust(await prepare()), sampleRateHz }, handlers, place.media),
      });
    });
  }

  async #carryTester(
    sides: LoopbackSides,
    { callId, conversationId, sipCallId, at }: LoopbackRecords,
    place: CallPlace,
    route: LoopbackRoute,
  ): Promise<void> {
    const { endpoint, activeCalls, media, sessions, resolver } = this.#options;
    const { agent: userAgent } = endpoint;
    const { adjust = unchanged } = sides.tester;
    // Both sides share a SIP Call-ID, whose trace belongs to the agent's.
    const ids = { callId, conversationId, at };
    const record = { ...toRecord(sides, sides.tester, ids), direction: "outbound" } as const;
    await activeCalls.carry(record, (prepare) => {
      return new OutboundCall({
        userAgent,
        route: routeTo(route, userAgent),
        sipCallId,
        toNumber: AGENT_USER,
        ringTimeoutMs: RING_TIMEOUT_MS,
        destinations: { countries: [], isPremiumRateAllowed: false },
        publicAddress: undefined,
        sessions,
        resolver,
        openMedia: async (audio, handlers) =>
          await media.open({ ...adjust(await prepare()), ...audio }, handlers, place.media),
      });
    });
  }
}

const unchanged = (setup: CallSetup): CallSetup => setup;

function toRecord(
  { fromNumber, toNumber }: LoopbackSides,
  { agent, variables }: LoopbackSide,
  ids: Pick<CallToRegister, "callId" | "conversationId" | "at">,
): Omit<CallToRegister, "direction"> {
  const test = { isTest: true, isSimulated: true };
  return { ...ids, ...test, fromNumber, toNumber, agent, variables, channel: "phone" };
}

function routeTo({ uri }: LoopbackRoute, { address: { port } }: UserAgent): OutgoingRoute {
  const hop = { protocol: "UDP", address: LOOPBACK_ADDRESS, port } as const;
  return {
    destination: hop,
    credentials: undefined,
    serviceRoutes: [],
    uriOf: () => uri,
    from: `sip:tester@${LOOPBACK_ADDRESS}`,
    isSrtpRequired: false,
    locate: async () => [hop],
  };
}
