import { randomBytes } from "node:crypto";
import type { Call, CallCreate } from "@parley/contract";
import type { UserAgent } from "@parley/sip";
import type { Logger } from "pino";
import type { MediaPool } from "../../call-host/media-pool.ts";
import { AppError, invalidBody } from "../../platform/app-error.ts";
import { afterCommit } from "../../platform/database/joint-transaction.ts";
import type { ResolvedAgent } from "../agents/agent-resolution.rules.ts";
import type { AgentResolution } from "../agents/agent-resolution.service.ts";
import type { Organization, OrganizationsService } from "../organizations/organizations.service.ts";
import { normalizePhoneNumber } from "../phone-numbers/phone-numbers.rules.ts";
import type { PhoneNumbersService } from "../phone-numbers/phone-numbers.service.ts";
import type { OutgoingRoute, SipTrunksService } from "../sip-trunks/sip-trunks.service.ts";
import type { CallsService } from "./calls.service.ts";
import { countriesOf, isDestinationAllowed } from "./destination.rules.ts";
import type { CallToHold, HeldCalls } from "./held-calls.ts";
import { OutboundCall } from "./outbound-call.ts";

/** What this node places calls with. */
export interface OutboundLine {
  nodeId: string;
  userAgent: UserAgent;
  heldCalls: Pick<HeldCalls, "isTakingCalls" | "carry">;
  media: Pick<MediaPool, "hasFreePlace" | "open">;
  /** The operator's; undefined: the address that the trunk reaches us by. */
  publicAddress: string | undefined;
  logger: Logger;
}

interface Dependencies {
  calls: CallsService;
  agentResolution: AgentResolution;
  phoneNumbers: PhoneNumbersService;
  sipTrunks: SipTrunksService;
  organizations: OrganizationsService;
}

/** What a call needs before it is written down. */
interface Plan {
  agent: ResolvedAgent;
  toNumber: string;
  from: { id: string; e164: string };
  sipTrunkId: string;
  route: OutgoingRoute;
  allowedCountries: readonly string[];
}

const DEFAULT_RING_TIMEOUT_SECONDS = 60;

/** Places calls. */
export class OutboundCallsService {
  readonly #dependencies: Dependencies;
  #line: OutboundLine | undefined;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** Before that no call can be placed. */
  useLine(line: OutboundLine): void {
    this.#line = line;
  }

  /**
   * Writes a call down and begins to dial once that is kept. Throws `billing_inactive`, `invalid_body`, `environment_not_found`,
   * `from_number_not_on_trunk`, `destination_not_allowed`, `agent_not_callable` and `capacity_exceeded`, in this order.
   */
  async place(organizationId: string, request: CallCreate): Promise<Call> {
    const { calls } = this.#dependencies;
    const plan = await this.#plan(organizationId, request);
    const line = this.#requireLine();
    const { agent, from, toNumber, sipTrunkId } = plan;
    const variables = { ...agent.variables, ...request.variables };
    const sipCallId = randomBytes(16).toString("hex");
    const ids = await calls.open({
      organizationId,
      agentId: agent.id,
      agentRevision: agent.agentRevision,
      configurationRevision: agent.configurationRevision,
      environment: agent.environment,
      channel: "phone",
      direction: "outbound",
      status: "queued",
      phoneNumberId: from.id,
      sipTrunkId,
      fromNumber: from.e164,
      toNumber,
      nodeId: line.nodeId,
      sipCallId,
      variables,
      postCallWebhookUrl: agent.document.postCallWebhookUrl,
      startedAt: null,
    });
    const record: CallToHold = {
      ...ids,
      agent,
      variables,
      channel: "phone",
      direction: "outbound",
      fromNumber: from.e164,
      toNumber,
      at: new Date(),
    };
    const call = await calls.describe(organizationId, ids.callId);
    const { ringTimeoutSeconds = DEFAULT_RING_TIMEOUT_SECONDS } = request;
    afterCommit(() => dial(line, plan, { record, sipCallId, ringTimeoutMs: ringTimeoutSeconds * 1000 }));
    return call;
  }

  async #plan(organizationId: string, request: CallCreate): Promise<Plan> {
    const organization = await this.#dependencies.organizations.get(organizationId);
    // API keys know of it only after a while; calls cost money at once.
    if (!organization.isBillingActive) throw new AppError("billing_inactive");
    const agent = await this.#resolve(organizationId, request);
    const toNumber = request.toNumber.startsWith("+")
      ? normalizePhoneNumber(request.toNumber)
      : request.toNumber;
    if (toNumber === undefined) throw invalidBody("toNumber", "is not a possible telephone number");
    const { sipTrunkId, status } = agent.document;
    const from =
      sipTrunkId === null ? undefined : await this.#findFrom(agent, sipTrunkId, request.fromNumber);
    const allowedCountries = await this.#allowedCountries(organization);
    if (!isDestinationAllowed(toNumber, allowedCountries)) throw new AppError("destination_not_allowed");
    if (sipTrunkId === null || from === undefined || status !== "active")
      throw new AppError("agent_not_callable");
    const route = await this.#dependencies.sipTrunks.findRoute(organizationId, sipTrunkId, from.e164);
    if (route === undefined)
      throw new AppError("agent_not_callable", {
        message: "The agent's SIP trunk names no proxyAddress that calls could go to.",
      });
    return { agent, toNumber, from, sipTrunkId, route, allowedCountries };
  }

  async #resolve(organizationId: string, request: CallCreate): Promise<ResolvedAgent> {
    const { agentId, environment = null } = request;
    try {
      const entry = { kind: "outbound_call", environment } as const;
      return await this.#dependencies.agentResolution.resolveAgent(organizationId, agentId, entry);
    } catch (error) {
      if (error instanceof AppError && error.code === "not_found")
        throw invalidBody("agentId", "names no agent");
      throw error;
    }
  }

  /** The number of ours that calls: the one that is asked for, or the agent's first. */
  async #findFrom(
    { organizationId, document }: ResolvedAgent,
    sipTrunkId: string,
    requested: string | undefined,
  ): Promise<Plan["from"]> {
    const wanted = requested === undefined ? undefined : normalizePhoneNumber(requested);
    if (requested !== undefined && wanted === undefined)
      throw invalidBody("fromNumber", "is not a possible telephone number");
    const candidates = wanted === undefined ? document.phoneNumbers.map(({ e164 }) => e164) : [wanted];
    const { phoneNumbers } = this.#dependencies;
    const onTrunk = await phoneNumbers.listOnTrunk(organizationId, sipTrunkId, candidates);
    const [first] = candidates.flatMap((e164) => onTrunk.find((number) => number.e164 === e164) ?? []);
    if (first === undefined) throw new AppError("from_number_not_on_trunk");
    return first;
  }

  async #allowedCountries({ id, allowedCountries }: Organization): Promise<readonly string[]> {
    return allowedCountries ?? countriesOf(await this.#dependencies.phoneNumbers.listE164(id));
  }

  #requireLine(): OutboundLine {
    const line = this.#line;
    if (line === undefined || !line.heldCalls.isTakingCalls || !line.media.hasFreePlace)
      throw new AppError("capacity_exceeded");
    return line;
  }
}

function dial(
  { userAgent, heldCalls, media, publicAddress, logger }: OutboundLine,
  { route, toNumber, allowedCountries }: Plan,
  { record, sipCallId, ringTimeoutMs }: { record: CallToHold; sipCallId: string; ringTimeoutMs: number },
): void {
  logger.info({ callId: record.callId, sipCallId, agentId: record.agent.id }, "call placed");
  const carried = heldCalls.carry(record, (prepare) => {
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
  carried.catch((error: unknown) =>
    logger.error({ err: error, callId: record.callId }, "a call could not be carried"),
  );
}
