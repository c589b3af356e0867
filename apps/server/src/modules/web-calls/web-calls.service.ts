import { randomBytes } from "node:crypto";
import type { JoinableCall, TestCallCreation } from "@parley/contract";
import type { Logger } from "pino";
import type { MediaPool } from "../../call-host/media-pool.ts";
import { WEB_SAMPLE_RATE_HZ } from "../../call-host/web-opus.ts";
import { AppError } from "../../platform/app-error.ts";
import { afterCommit } from "../../platform/database/joint-transaction.ts";
import type { AgentResolution } from "../agents/agent-resolution.service.ts";
import type { CallsService } from "../calls/calls.service.ts";
import type { CallToHold, HeldCalls } from "../calls/held-calls.ts";
import { type IceServerSettings, toLinkHeader } from "./ice-servers.rules.ts";
import { WebCall } from "./web-call.ts";

/** What this node holds calls in the browser with. */
export interface WebLine {
  nodeId: string;
  heldCalls: Pick<HeldCalls, "isTakingCalls" | "carry">;
  media: Pick<MediaPool, "openWeb" | "hasFreePlace">;
  /** Undefined: where the request came to. */
  publicUrl: string | undefined;
  iceServers: IceServerSettings;
  logger: Logger;
}

interface Dependencies {
  calls: CallsService;
  agentResolution: AgentResolution;
}

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
   * Writes a test call down, and holds it once that is kept. Throws `not_found`, `environment_not_found` and
   * `capacity_exceeded`, in this order.
   *
   * @param origin Of the request.
   */
  async startTest(
    organizationId: string,
    agentId: string,
    { environment = null, variables: own }: TestCallCreation,
    origin: string,
  ): Promise<JoinableCall> {
    const { calls, agentResolution } = this.#dependencies;
    const agent = await agentResolution.resolveAgent(organizationId, agentId, {
      kind: "browser_test",
      environment,
    });
    const line = this.#requireLine();
    const variables = { ...agent.variables, ...own };
    const at = new Date();
    const facts = {
      channel: "web",
      direction: "inbound",
      fromNumber: null,
      toNumber: null,
      isTest: true,
    } as const;
    const ids = await calls.open({
      ...facts,
      organizationId,
      agentId: agent.id,
      agentRevision: agent.agentRevision,
      configurationRevision: agent.configurationRevision,
      environment: agent.environment,
      status: "ringing",
      phoneNumberId: null,
      sipTrunkId: null,
      nodeId: line.nodeId,
      sipCallId: null,
      variables,
      postCallWebhookUrl: agent.document.postCallWebhookUrl,
      startedAt: at,
    });
    const { callId } = ids;
    const token = randomBytes(32).toString("base64url");
    afterCommit(() => this.#hold(line, { ...ids, ...facts, agent, variables, at }, token));
    return { callId, url: `${line.publicUrl ?? origin}/rtc/calls/${callId}`, token };
  }

  /** Undefined where this node does not hold the call. */
  find(callId: string): WebCall | undefined {
    return this.#calls.get(callId);
  }

  /** Of STUN and TURN servers, as a header; undefined where there are none. */
  linkHeader(callId: string): string | undefined {
    return this.#line && toLinkHeader(this.#line.iceServers, callId, new Date());
  }

  #hold({ heldCalls, media, logger }: WebLine, record: CallToHold, token: string): void {
    const { callId, agent } = record;
    logger.info({ callId, agentId: agent.id }, "test call started");
    const carrying = heldCalls.carry(record, (prepare) => {
      const call = new WebCall({
        token,
        openMedia: async (handlers) =>
          await media.openWeb({ ...(await prepare()), sampleRateHz: WEB_SAMPLE_RATE_HZ }, handlers),
      });
      this.#calls.set(callId, call);
      return call;
    });
    void carrying.finally(() => this.#calls.delete(callId));
  }

  #requireLine(): WebLine {
    const line = this.#line;
    if (line === undefined || !line.heldCalls.isTakingCalls || !line.media.hasFreePlace)
      throw new AppError("capacity_exceeded");
    return line;
  }
}
