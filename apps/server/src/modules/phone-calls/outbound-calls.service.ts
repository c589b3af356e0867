import { randomBytes } from "node:crypto";
import type { Call, CallCreate } from "@parley/contract";
import type { UserAgent } from "@parley/sip";
import type { Logger } from "pino";
import type { MediaPool } from "../../media/media-pool.ts";
import { AppError } from "../../platform/app-error.ts";
import { afterCommit } from "../../platform/database/joint-transaction.ts";
import type { CallCommand, CallCommandAnswer, PlacingCommand } from "../active-calls/call-command.ts";
import type { CallPlacement } from "../active-calls/call-placement.ts";
import { recordOf } from "../agents/versions/agent-resolution.rules.ts";
import type { CallsService } from "../calls/calls.service.ts";
import { isDestinationAllowed } from "./destination.rules.ts";
import type { CallToRegister, ActiveCallRegistry } from "../active-calls/active-call-registry.ts";
import { OutboundCall } from "./outbound-call.ts";
import type { Dialling, OutboundPlan, OutboundPlanner } from "./outbound-planner.ts";

/** What this node places calls with. */
export interface OutboundLine {
  nodeId: string;
  userAgent: UserAgent;
  activeCalls: Pick<ActiveCallRegistry, "isTakingCalls" | "carry">;
  media: Pick<MediaPool, "hasFreePlace" | "open">;
  /** The operator's; undefined: the address that the trunk reaches us by. */
  publicAddress: string | undefined;
  logger: Logger;
}

interface OutboundCallsDependencies {
  calls: CallsService;
  planner: OutboundPlanner;
  placement: CallPlacement;
}

/** What a node is asked that is to dial for another. */
type DialCommand = Extract<CallCommand, { type: "dial" }>;
type Dial = Extract<PlacingCommand, { type: "dial" }>;

const DEFAULT_RING_TIMEOUT_SECONDS = 60;

/** Places calls. */
export class OutboundCallsService {
  readonly #dependencies: OutboundCallsDependencies;
  #line: OutboundLine | undefined;

  constructor(dependencies: OutboundCallsDependencies) {
    this.#dependencies = dependencies;
  }

  /** Before that no call can be placed. */
  useLine(line: OutboundLine): void {
    this.#line = line;
  }

  /**
   * Writes a call down and begins to dial once that is kept. Throws what the planner throws, and then
   * `capacity_exceeded` where no node has a free place.
   */
  async place(organizationId: string, request: CallCreate): Promise<Call> {
    const { calls, planner, placement } = this.#dependencies;
    const { ringTimeoutSeconds = DEFAULT_RING_TIMEOUT_SECONDS } = request;
    const plan = await planner.plan(organizationId, request);
    const line = this.#line;
    if (line === undefined) throw new AppError("capacity_exceeded");
    if (!isFree(line)) await placement.requireOtherNode(line.nodeId);
    const { nodeId } = line;
    const variables = { ...plan.agent.variables, ...request.variables };
    const sipCallId = randomBytes(16).toString("hex");
    const ids = await this.#write(plan, { nodeId, sipCallId, variables });
    const call = await calls.describe(organizationId, ids.callId);
    const command: Dial = { type: "dial", ringTimeoutMs: ringTimeoutSeconds * 1000 };
    await afterCommit(() => {
      if (!isFree(line)) void this.#dialElsewhere(line, ids.callId, command);
      else dial(line, plan, { ...toRecord(ids, plan, variables), sipCallId }, command);
    });
    return call;
  }

  /** On behalf of another node; undefined where it means not this one. */
  dialHere(callId: string, command: DialCommand): Promise<CallCommandAnswer> | undefined {
    const line = this.#line;
    return line?.nodeId === command.toNodeId ? this.#dialPlaced(line, callId, command) : undefined;
  }

  async #dialPlaced(line: OutboundLine, callId: string, command: DialCommand): Promise<CallCommandAnswer> {
    const { planner, placement } = this.#dependencies;
    if (!isFree(line)) return "refused";
    return await placement.take(callId, command, {
      prepare: async (call) => await planner.planAgain(call),
      begin: ({ conversationId, sipCallId, variables }, plan) => {
        const record = toRecord({ callId, conversationId }, plan, variables);
        dial(line, plan, { ...record, sipCallId: sipCallId ?? callId }, command);
      },
    });
  }

  async #dialElsewhere({ nodeId, logger }: OutboundLine, id: string, command: Dial): Promise<void> {
    const { calls, placement } = this.#dependencies;
    try {
      if (await placement.handOver(id, nodeId, command)) return;
      const endDetail = "no node could place the call";
      await calls.finish(id, { status: "failed", endReason: "dial_failed", endDetail, endedAt: new Date() });
    } catch (error) {
      // The node closes the call once the database answers: nobody holds it.
      logger.error({ err: error, callId: id }, "handing a call to another node failed");
    }
  }

  async #write(
    { agent, from, toNumber, sipTrunkId }: OutboundPlan,
    call: { nodeId: string; sipCallId: string; variables: Record<string, string> },
  ): Promise<{ callId: string; conversationId: string }> {
    return await this.#dependencies.calls.open({
      ...call,
      ...recordOf(agent),
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

function isFree({ activeCalls, media }: OutboundLine): boolean {
  return activeCalls.isTakingCalls && media.hasFreePlace;
}

function toRecord(
  ids: { callId: string; conversationId: string },
  { agent, fromNumber, toNumber }: Dialling,
  variables: Record<string, string>,
): CallToRegister {
  const at = new Date();
  return { ...ids, agent, variables, channel: "phone", direction: "outbound", fromNumber, toNumber, at };
}

function dial(
  { userAgent, activeCalls, media, publicAddress, logger }: OutboundLine,
  { route, toNumber, allowedCountries }: Dialling,
  record: CallToRegister & { sipCallId: string },
  { ringTimeoutMs }: Dial,
): void {
  const { callId, sipCallId } = record;
  logger.info({ callId, sipCallId, agentId: record.agent.id }, "outbound call placed");
  const carried = activeCalls.carry(record, (prepare) => {
    return new OutboundCall({
      userAgent,
      route,
      sipCallId,
      toNumber,
      ringTimeoutMs,
      isDestinationAllowed: (number) => isDestinationAllowed(number, allowedCountries),
      publicAddress,
      openMedia: async (audio, handlers) => await media.open({ ...(await prepare()), ...audio }, handlers),
    });
  });
  // Nobody waits for it, and no fault in one call may end the node.
  carried.catch((error: unknown) => logger.error({ err: error, callId }, "carrying a call failed"));
}
