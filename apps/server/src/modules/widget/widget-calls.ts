import type { Call, WidgetCall } from "@parley/contract";
import { AppError } from "../../platform/app-error.ts";
import type { Clock } from "../../platform/clock.ts";
import type { CallHangUpsService } from "../active-calls/call-hang-ups.service.ts";
import type { LiveAgent, AgentResolution } from "../agents/versions/agent-resolution.service.ts";
import type { CallsService } from "../calls/calls.service.ts";
import type { ConversationsService } from "../conversations/conversations.service.ts";
import type { WebCallsService } from "../web-calls/web-calls.service.ts";

/** Time after the end of an interrupted call in which it can be continued. */
const RESUME_MS = 5 * 60_000;

interface WidgetCallsDependencies {
  agentResolution: Pick<AgentResolution, "resolveAgent">;
  calls: Pick<CallsService, "describe">;
  callHangUps: Pick<CallHangUpsService, "hangUp">;
  conversations: Pick<ConversationsService, "findLinks">;
  webCalls: Pick<WebCallsService, "startForVisitor">;
  clock: Clock;
}

/** Voice calls of visitors. */
export class WidgetCalls {
  readonly #dependencies: WidgetCallsDependencies;

  constructor(dependencies: WidgetCallsDependencies) {
    this.#dependencies = dependencies;
  }

  /** @param resumed Id of the interrupted call to continue, as the page names it. */
  async start(
    { id: agentId, organizationId }: LiveAgent,
    {
      customerId,
      resumed,
      serverOrigin,
    }: { customerId: string; resumed: string | undefined; serverOrigin: string },
  ): Promise<WidgetCall> {
    const { agentResolution, webCalls } = this.#dependencies;
    const continuesId = resumed && (await this.#findInterrupted(organizationId, customerId, resumed));
    const agent = await agentResolution.resolveAgent(organizationId, agentId, { kind: "widget" });
    const call = await webCalls.startForVisitor(
      agent,
      { customerId, ...(continuesId !== undefined && { continuesId }) },
      serverOrigin,
    );
    return { ...call, isResumed: continuesId !== undefined };
  }

  /** Returns the conversation of the visitor's call if it was interrupted a short time ago, and ends it if it has not ended. */
  async #findInterrupted(
    organizationId: string,
    customerId: string,
    callId: string,
  ): Promise<string | undefined> {
    const { calls, callHangUps, conversations, clock } = this.#dependencies;
    const call = await calls.describe(organizationId, callId).catch(ignoreRefusal);
    if (call === undefined) return undefined;
    const links = await conversations.findLinks(call.conversationId);
    if (links?.customerId !== customerId) return undefined;
    // The page was reloaded before the connection counted as lost.
    if (call.endedAt === null) await callHangUps.hangUp(organizationId, callId).catch(ignoreRefusal);
    else if (!isInterrupted(call, clock.now())) return undefined;
    return call.conversationId;
  }
}

function isInterrupted({ endedAt, endReason, endDetail }: Call, now: Date): boolean {
  if (endedAt === null || now.getTime() - Date.parse(endedAt) > RESUME_MS) return false;
  // With a detail, the browser was disconnected; without one, it hung up.
  if (endReason === "user_hangup") return endDetail !== null;
  return (
    endReason === "node_lost" || endReason === "media_timeout" || endReason?.startsWith("error_") === true
  );
}

function ignoreRefusal(error: unknown): undefined {
  if (!(error instanceof AppError)) throw error;
}
