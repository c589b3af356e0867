import type { JoinableCall, TestCallCreation } from "@parley/contract";
import type { Logger } from "pino";
import type { MediaPool } from "../../media/media-pool.ts";
import { WEB_SAMPLE_RATE_HZ } from "../../media/web/web-opus.ts";
import { AppError } from "../../platform/app-error.ts";
import { afterCommit } from "../../platform/database/joint-transaction.ts";
import { recordOf } from "../agents/versions/agent-resolution.rules.ts";
import type { AgentResolution } from "../agents/versions/agent-resolution.service.ts";
import type { CallPlacement } from "../active-calls/call-placement.ts";
import type { CallsService } from "../calls/calls.service.ts";
import type { CallToRegister, ActiveCallRegistry } from "../active-calls/active-call-registry.ts";
import type { CallCommand, CallCommandAnswer } from "../active-calls/call-command.ts";
import type { CallNodes } from "../nodes/call-nodes.ts";
import { type IceServerSettings, toLinkHeader } from "./ice-servers.rules.ts";
import type { JoinTokens } from "./join-tokens.ts";
import { WebCall } from "./web-call.ts";

/** What this node holds calls in the browser with. */
export interface WebLine {
  nodeId: string;
  activeCalls: Pick<ActiveCallRegistry, "isTakingCalls" | "carry">;
  media: Pick<MediaPool, "openWeb" | "hasFreePlace">;
  /** Undefined: where the request came to. */
  publicUrl: string | undefined;
  iceServers: IceServerSettings;
  logger: Logger;
}

interface Dependencies {
  calls: CallsService;
  agentResolution: AgentResolution;
  placement: CallPlacement;
  callNodes: Pick<CallNodes, "findOtherAddress">;
  joinTokens: JoinTokens;
}

type AwaitBrowserCommand = Extract<CallCommand, { type: "awaitBrowser" }>;

const TEST_CALL = {
  channel: "web",
  direction: "inbound",
  fromNumber: null,
  toNumber: null,
  isTest: true,
} as const;

/** Starts calls that a browser joins, and knows those of this node. */
export class WebCallsService {
  readonly #dependencies: Dependencies;
  readonly #calls = new Map<string, WebCall>();
  #line: WebLine | undefined;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** Before that no call can be started. */
  useLine(line: WebLine): void {
    this.#line = line;
  }

  /**
   * Writes a test call down, and once that is kept holds it, or has a node hold it that has room. Throws `not_found`,
   * `environment_not_found` and `capacity_exceeded`, in this order; the last also after the commit.
   *
   * @param origin Of the request.
   */
  async startTest(
    organizationId: string,
    agentId: string,
    { environment = null, variables: own }: TestCallCreation,
    origin: string,
  ): Promise<JoinableCall> {
    const { calls, agentResolution, placement, joinTokens } = this.#dependencies;
    const agent = await agentResolution.resolveAgent(organizationId, agentId, {
      kind: "browser_test",
      environment,
    });
    const line = this.#line;
    if (line === undefined) throw new AppError("capacity_exceeded");
    if (!isFree(line)) await placement.requireOtherNode(line.nodeId);
    const variables = { ...agent.variables, ...own };
    const at = new Date();
    const ids = await calls.open({
      ...TEST_CALL,
      ...recordOf(agent),
      status: "ringing",
      phoneNumberId: null,
      sipTrunkId: null,
      nodeId: line.nodeId,
      sipCallId: null,
      variables,
      startedAt: at,
    });
    const { callId } = ids;
    await afterCommit(async () => {
      if (!isFree(line)) await this.#holdElsewhere(line, callId);
      else this.#hold(line, { ...ids, ...TEST_CALL, agent, variables, at });
    });
    const url = `${line.publicUrl ?? origin}/rtc/calls/${callId}`;
    return { callId, url, token: joinTokens.issue(callId) };
  }

  /** On behalf of another node; undefined where it means not this one. */
  holdHere(callId: string, command: AwaitBrowserCommand): Promise<CallCommandAnswer> | undefined {
    const line = this.#line;
    return line?.nodeId === command.toNodeId ? this.#holdPlaced(line, callId, command) : undefined;
  }

  /** Undefined where this node does not hold the call. */
  find(callId: string): WebCall | undefined {
    return this.#calls.get(callId);
  }

  /** HTTP origin of the node that holds a call in the browser; `undefined` if no other node does. */
  async findElsewhere(callId: string): Promise<string | undefined> {
    const line = this.#line;
    return line && (await this.#dependencies.callNodes.findOtherAddress(callId, "web", line.nodeId));
  }

  isToken(callId: string, token: string): boolean {
    return this.#dependencies.joinTokens.isValid(callId, token);
  }

  /** Of STUN and TURN servers, as a header; undefined where there are none. */
  linkHeader(callId: string): string | undefined {
    return this.#line && toLinkHeader(this.#line.iceServers, callId, new Date());
  }

  async #holdElsewhere({ nodeId }: WebLine, callId: string): Promise<void> {
    const { calls, placement } = this.#dependencies;
    if (await placement.handOver(callId, nodeId, { type: "awaitBrowser" })) return;
    await calls.discard(callId, nodeId);
    throw new AppError("capacity_exceeded");
  }

  async #holdPlaced(line: WebLine, callId: string, command: AwaitBrowserCommand): Promise<CallCommandAnswer> {
    if (!isFree(line)) return "refused";
    const { agentResolution, placement } = this.#dependencies;
    return await placement.take(callId, command, {
      prepare: async (call) => await agentResolution.resolveRecorded(call),
      begin: ({ conversationId, variables, createdAt: at }, agent) => {
        const record = { ...TEST_CALL, callId, conversationId, agent, variables, at };
        this.#hold(line, record);
      },
    });
  }

  #hold({ activeCalls, media, logger }: WebLine, record: CallToRegister): void {
    const { callId, agent } = record;
    logger.info({ callId, agentId: agent.id }, "test call started");
    const carrying = activeCalls.carry(record, (prepare) => {
      const call = new WebCall({
        openMedia: async (handlers) =>
          await media.openWeb({ ...(await prepare()), sampleRateHz: WEB_SAMPLE_RATE_HZ }, handlers),
      });
      this.#calls.set(callId, call);
      return call;
    });
    void carrying.finally(() => this.#calls.delete(callId));
  }
}

function isFree({ activeCalls, media }: WebLine): boolean {
  return activeCalls.isTakingCalls && media.hasFreePlace;
}
