import type { JoinableCall, TestCallCreation } from "@parley/contract";
import type { Logger } from "pino";
import type { LocalSpeechPlaces } from "../../inference/local-speech-places.ts";
import type { Clock } from "../../platform/clock.ts";
import type { MediaPool } from "../../media/media-pool.ts";
import { WEB_SAMPLE_RATE_HZ } from "../../media/web/web-opus.ts";
import { AppError } from "../../platform/app-error.ts";
import { afterCommit } from "../../platform/database/joint-transaction.ts";
import { agentColumns, type ResolvedAgent } from "../agents/versions/agent-resolution.rules.ts";
import type { AgentResolution } from "../agents/versions/agent-resolution.service.ts";
import type { CallPlacement } from "../active-calls/call-placement.ts";
import type { CallsService } from "../calls/calls.service.ts";
import { type CallPlace, hasPlaceFor, takePlace } from "../active-calls/call-places.ts";
import type { CallToRegister, ActiveCallRegistry } from "../active-calls/active-call-registry.ts";
import type { CallCommand, CallCommandAnswer } from "../active-calls/call-command.ts";
import type { CallNodes } from "../nodes/call-nodes.ts";
import { type IceServerSettings, toLinkHeader } from "./ice-servers.rules.ts";
import type { JoinTokens } from "./join-tokens.ts";
import type { RelayProofs } from "./relay-proofs.ts";
import { WebCall } from "./web-call.ts";

interface WebCallsOptions {
  nodeId: string;
  calls: CallsService;
  agentResolution: AgentResolution;
  placement: CallPlacement;
  callNodes: Pick<CallNodes, "findOtherAddress">;
  joinTokens: JoinTokens;
  relayProofs: RelayProofs;
  activeCalls: Pick<ActiveCallRegistry, "isTakingCalls" | "carry" | "placeShares">;
  media: Pick<MediaPool, "openWeb" | "freePlaces" | "hasFreePlace" | "reserve">;
  speechPlaces: LocalSpeechPlaces;
  /** `undefined`: the request's own origin. */
  publicUrl: string | undefined;
  iceServers: IceServerSettings;
  clock: Clock;
  logger: Logger;
}

type AwaitBrowserCommand = Extract<CallCommand, { type: "awaitBrowser" }>;

const WEB_CALL = { channel: "web", direction: "inbound", fromNumber: null, toNumber: null } as const;

/** What a call's record has beside its agent. */
interface WebCallFacts {
  isTest: boolean;
  customerId?: string;
  continuesId?: string;
}

/** Starts web calls, and finds those of this node. */
export class WebCallsService {
  readonly relayProofs: RelayProofs;
  readonly #options: WebCallsOptions;
  readonly #calls = new Map<string, WebCall>();

  constructor(options: WebCallsOptions) {
    this.#options = options;
    this.relayProofs = options.relayProofs;
  }

  /**
   * Creates a test call, and after the commit starts it here or on a node with free capacity. Throws
   * `not_found`, `environment_not_found` and `capacity_exceeded`, in this order; the last also after the
   * commit.
   *
   * @param origin Origin of the request.
   */
  async startTest(
    organizationId: string,
    agentId: string,
    { environment = null, variables: own }: TestCallCreation,
    origin: string,
  ): Promise<JoinableCall> {
    const agent = await this.#options.agentResolution.resolveAgent(organizationId, agentId, {
      kind: "browser_test",
      environment,
    });
    const withOwn = { ...agent, variables: { ...agent.variables, ...own } };
    return await this.#start(withOwn, { isTest: true }, origin);
  }

  /** Starts the call of a widget's visitor. Throws `capacity_exceeded`. */
  async startForVisitor(
    agent: ResolvedAgent,
    visitor: { customerId: string; continuesId?: string },
    origin: string,
  ): Promise<JoinableCall> {
    return await this.#start(agent, { ...visitor, isTest: false }, origin);
  }

  async #start(agent: ResolvedAgent, facts: WebCallFacts, origin: string): Promise<JoinableCall> {
    const { nodeId, calls, placement, joinTokens, publicUrl } = this.#options;
    if (!hasPlaceFor(this.#options, agent)) await placement.requireOtherNode(nodeId);
    const { variables } = agent;
    const at = this.#options.clock.now();
    const ids = await calls.open({
      ...WEB_CALL,
      ...facts,
      ...agentColumns(agent),
      status: "ringing",
      phoneNumberId: null,
      sipTrunkId: null,
      nodeId,
      sipCallId: null,
      variables,
      startedAt: at,
    });
    const { callId } = ids;
    await afterCommit(async () => {
      const place = takePlace(this.#options, agent);
      if (place === undefined) await this.#placeRemotely(callId);
      else this.#awaitBrowser({ ...ids, ...WEB_CALL, isTest: facts.isTest, agent, variables, at }, place);
    });
    const url = `${publicUrl ?? origin}/rtc/calls/${callId}`;
    return { callId, url, token: joinTokens.issue(callId) };
  }

  /** Returns the call, or `undefined` if it does not belong to this node. */
  find(callId: string): WebCall | undefined {
    return this.#calls.get(callId);
  }

  /** Returns the HTTP origin of a web call's node; `undefined` if the call belongs to no other node. */
  async findRemoteAddress(callId: string): Promise<string | undefined> {
    const { callNodes, nodeId } = this.#options;
    return await callNodes.findOtherAddress(callId, "web", nodeId);
  }

  isToken(callId: string, token: string): boolean {
    return this.#options.joinTokens.isValid(callId, token);
  }

  /** Returns the STUN and TURN servers as a `Link` header; `undefined` if there are none. */
  linkHeader(callId: string): string | undefined {
    return toLinkHeader(this.#options.iceServers, callId, this.#options.clock.now());
  }

  async #placeRemotely(callId: string): Promise<void> {
    const { nodeId, calls, placement } = this.#options;
    if (await placement.handOver(callId, nodeId, { type: "awaitBrowser" })) return;
    await calls.discard(callId, nodeId);
    throw new AppError("capacity_exceeded");
  }

  /** Takes over a call that another node placed, until a browser joins. */
  async takePlaced(callId: string, command: AwaitBrowserCommand): Promise<CallCommandAnswer> {
    const { agentResolution, placement } = this.#options;
    let place: CallPlace | undefined;
    const answer = await placement.take(callId, command, {
      prepare: async (call) => {
        const agent = await agentResolution.resolveRecorded(call);
        place = agent && takePlace(this.#options, agent);
        return place && agent && { agent, place };
      },
      begin: ({ conversationId, variables, createdAt: at, isTest }, prepared) => {
        const record = { ...WEB_CALL, isTest, callId, conversationId, agent: prepared.agent, variables, at };
        this.#awaitBrowser(record, prepared.place);
      },
    });
    if (answer !== "done") place?.[Symbol.dispose]();
    return answer;
  }

  #awaitBrowser(record: CallToRegister, place: CallPlace): void {
    const { activeCalls, media, logger } = this.#options;
    const { callId, agent, isTest = false } = record;
    logger.info({ callId, agentId: agent.id }, `${isTest ? "test" : "visitor's"} call started`);
    const carrying = activeCalls.carry(record, (prepare) => {
      const call = new WebCall({
        isPublic: !isTest,
        openMedia: async (handlers) =>
          await media.openWeb(
            { ...(await prepare()), sampleRateHz: WEB_SAMPLE_RATE_HZ },
            handlers,
            place.media,
          ),
      });
      this.#calls.set(callId, call);
      return call;
    });
    void carrying.finally(() => {
      place[Symbol.dispose]();
      this.#calls.delete(callId);
    });
  }
}
