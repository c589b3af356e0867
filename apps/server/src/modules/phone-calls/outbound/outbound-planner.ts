import type { CallCreate } from "@parley/contract";
import { AppError, invalidBody } from "../../../platform/app-error.ts";
import type { ResolvedAgent } from "../../agents/versions/agent-resolution.rules.ts";
import type { AgentResolution } from "../../agents/versions/agent-resolution.service.ts";
import type { DoNotCallService } from "../../do-not-call/do-not-call.service.ts";
import type { Organization, OrganizationsService } from "../../organizations/organizations.service.ts";
import { normalizePhoneNumber } from "../../../platform/phone-number.ts";
import type { PhoneNumbersService } from "../../phone-numbers/phone-numbers.service.ts";
import type { OutgoingRoute, SipTrunksService } from "../../sip-trunks/sip-trunks.service.ts";
import type { PlacedCall } from "../../calls/calls.service.ts";
import { leadsBack, numberBehind } from "../transfers/transfer.rules.ts";
import type { TransferLine } from "../transfers/call-transfers.ts";
import { type DestinationPolicy, findCountries, isDestinationAllowed } from "./destination.rules.ts";

/** Caller, callee and route of an outbound call. */
export interface Dialing {
  agent: ResolvedAgent;
  fromNumber: string;
  /** E.164, or an extension. */
  toNumber: string;
  sipTrunkId: string;
  route: OutgoingRoute;
  /** Also limits redirections. */
  destinations: DestinationPolicy;
}

/** An outbound call before its record is written. */
export interface OutboundPlan extends Dialing {
  from: { id: string; e164: string };
}

/** An agent, its environment and its caller ID, for calls to several destinations. */
export type LineRequest = Pick<CallCreate, "agentId" | "environment"> & { fromNumber: string };

export interface Line {
  agent: ResolvedAgent;
  from: OutboundPlan["from"];
  sipTrunkId: string;
}

/** What calls to several destinations have in common. */
export type OutboundLine = Omit<OutboundPlan, "toNumber">;

interface OutboundPlannerDependencies {
  agentResolution: AgentResolution;
  phoneNumbers: PhoneNumbersService;
  sipTrunks: SipTrunksService;
  organizations: OrganizationsService;
  doNotCall: DoNotCallService;
}

/** Decides whether a call may be placed, from which number and by which route. */
export class OutboundPlanner {
  readonly #dependencies: OutboundPlannerDependencies;

  constructor(dependencies: OutboundPlannerDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Throws `billing_inactive`, `invalid_body`, `environment_not_found`, `from_number_not_on_trunk`,
   * `destination_not_allowed` and `agent_not_callable`, in this order.
   */
  async plan(organizationId: string, request: CallCreate): Promise<OutboundPlan> {
    const organization = await this.#dependencies.organizations.get(organizationId);
    // API keys notice inactive billing only after a while; calls cost money at once.
    if (!organization.isBillingActive) throw new AppError("billing_inactive");
    const agent = await this.#resolve(organizationId, request);
    const toNumber = request.toNumber.startsWith("+")
      ? normalizePhoneNumber(request.toNumber)
      : request.toNumber;
    if (toNumber === undefined)
      throw invalidBody("toNumber", "must be a valid phone number with its country code");
    const { sipTrunkId, status } = agent.document;
    const from =
      sipTrunkId === null ? undefined : await this.#findFrom(agent, sipTrunkId, request.fromNumber);
    const destinations = await this.#destinationsOf(organization);
    // An organization without a number has no home country yet. What it lacks is the number, not a right.
    const isHomeUnknown = from === undefined && destinations.countries.length === 0;
    if (!isHomeUnknown) await this.#requireDestination(organizationId, toNumber, destinations);
    if (sipTrunkId === null || status !== "active") throw new AppError("agent_not_callable");
    if (from === undefined)
      throw new AppError("agent_not_callable", {
        message: "The agent has no phone number on its SIP trunk. Add one, or send `fromNumber`.",
      });
    const route = await this.#findRoute(organizationId, sipTrunkId, from.e164);
    return { agent, toNumber, from, fromNumber: from.e164, sipTrunkId, route, destinations };
  }

  /** Throws `invalid_body`, `environment_not_found` and `from_number_not_on_trunk`, in this order. */
  async findLine(organizationId: string, request: LineRequest): Promise<Line> {
    const agent = await this.#resolve(organizationId, request);
    const { sipTrunkId } = agent.document;
    if (sipTrunkId === null)
      throw new AppError("from_number_not_on_trunk", { message: "The agent has no SIP trunk." });
    const from = await this.#findFrom(agent, sipTrunkId, request.fromNumber);
    if (from === undefined) throw new AppError("from_number_not_on_trunk");
    return { agent, from, sipTrunkId };
  }

  /** Throws `billing_inactive`, then what `findLine` throws, then `agent_not_callable`. */
  async planLine(organizationId: string, request: LineRequest): Promise<OutboundLine> {
    const organization = await this.#dependencies.organizations.get(organizationId);
    if (!organization.isBillingActive) throw new AppError("billing_inactive");
    const { agent, from, sipTrunkId } = await this.findLine(organizationId, request);
    if (agent.document.status !== "active")
      throw new AppError("agent_not_callable", { message: "The agent is disabled." });
    const destinations = await this.#destinationsOf(organization);
    const route = await this.#findRoute(organizationId, sipTrunkId, from.e164);
    return { agent, from, fromNumber: from.e164, sipTrunkId, route, destinations };
  }

  /**
   * Returns what the organization may call.
   *
   * @param ownNumber Number (E.164) of an organization that may have none on a trunk.
   */
  async findDestinations(organizationId: string, ownNumber?: string): Promise<DestinationPolicy> {
    const organization = await this.#dependencies.organizations.get(organizationId);
    return await this.#destinationsOf(organization, ownNumber);
  }

  /** Plans a call that was already recorded. Returns `undefined` if it can no longer be dialed. */
  async planAgain(call: PlacedCall): Promise<Dialing | undefined> {
    const { organizationId, sipTrunkId, fromNumber, toNumber } = call;
    if (sipTrunkId === null || fromNumber === null || toNumber === null) return undefined;
    const { agentResolution, sipTrunks, organizations } = this.#dependencies;
    const [agent, route, organization] = await Promise.all([
      agentResolution.resolveRecorded(call),
      sipTrunks.findRoute(organizationId, sipTrunkId, fromNumber),
      organizations.get(organizationId),
    ]);
    if (agent === undefined || route === undefined) return undefined;
    const destinations = await this.#destinationsOf(organization);
    return { agent, sipTrunkId, fromNumber, toNumber, route, destinations };
  }

  /**
   * Plans the call to the person to whom a call is transferred, by the trunk of that call. Throws `billing_inactive`,
   * `agent_not_callable` and `destination_not_allowed`, in this order.
   *
   * @param to Phone number, extension or SIP URI, as in the agent's document.
   */
  async planTransfer(line: TransferLine, to: string) {
    const { organizationId, sipTrunkId, fromNumber } = line;
    const organization = await this.#dependencies.organizations.get(organizationId);
    if (!organization.isBillingActive) throw new AppError("billing_inactive");
    const route = await this.#findRoute(organizationId, sipTrunkId, fromNumber);
    const toNumber = numberBehind(route, to);
    const destinations = await this.#destinationsOf(organization);
    if (toNumber === undefined) throw new AppError("destination_not_allowed");
    await this.#requireDestination(organizationId, toNumber, destinations);
    if (leadsBack(line, toNumber, await this.#dependencies.phoneNumbers.listE164(organizationId)))
      throw new AppError("destination_not_allowed", {
        message: "This transfer would lead back to the organization's own agents.",
      });
    return { route, toNumber, destinations };
  }

  /** Throws `destination_not_allowed`. */
  async #requireDestination(
    organizationId: string,
    toNumber: string,
    destinations: DestinationPolicy,
  ): Promise<void> {
    if (!isDestinationAllowed(toNumber, destinations)) throw new AppError("destination_not_allowed");
    if (await this.#dependencies.doNotCall.isListed(organizationId, toNumber))
      throw new AppError("destination_not_allowed", {
        message: "This number is on the organization's do-not-call list. Remove it there to call it.",
      });
  }

  /** Throws `agent_not_callable`. */
  async #findRoute(organizationId: string, sipTrunkId: string, fromNumber: string): Promise<OutgoingRoute> {
    const route = await this.#dependencies.sipTrunks.findRoute(organizationId, sipTrunkId, fromNumber);
    if (route !== undefined) return route;
    throw new AppError("agent_not_callable", {
      message: "The agent's SIP trunk has no proxyAddress, which outbound calls need.",
    });
  }

  async #resolve(
    organizationId: string,
    request: Pick<CallCreate, "agentId" | "environment">,
  ): Promise<ResolvedAgent> {
    const { agentId, environment = null } = request;
    try {
      const entry = { kind: "outbound_call", environment } as const;
      return await this.#dependencies.agentResolution.resolveAgent(organizationId, agentId, entry);
    } catch (error) {
      if (error instanceof AppError && error.code === "not_found")
        throw invalidBody("agentId", "must be the id of an agent of this organization");
      throw error;
    }
  }

  /** Returns the calling number: the requested one, or the agent's first; `undefined` if it has none. */
  async #findFrom(
    { organizationId, document }: ResolvedAgent,
    sipTrunkId: string,
    requested: string | undefined,
  ): Promise<OutboundPlan["from"] | undefined> {
    const wanted = requested === undefined ? undefined : normalizePhoneNumber(requested);
    if (requested !== undefined && wanted === undefined)
      throw invalidBody("fromNumber", "must be a valid phone number with its country code");
    const candidates = wanted === undefined ? document.phoneNumbers.map(({ e164 }) => e164) : [wanted];
    const { phoneNumbers } = this.#dependencies;
    const onTrunk = await phoneNumbers.listOnTrunk(organizationId, sipTrunkId, candidates);
    const [first] = candidates.flatMap((e164) => onTrunk.find((number) => number.e164 === e164) ?? []);
    if (first === undefined && wanted !== undefined) throw new AppError("from_number_not_on_trunk");
    return first;
  }

  async #destinationsOf(organization: Organization, ownNumber?: string): Promise<DestinationPolicy> {
    const { allowedCountries, isPremiumRateAllowed } = organization;
    const countries = allowedCountries ?? (await this.#findHome(organization, ownNumber));
    return { countries, isPremiumRateAllowed };
  }

  /**
   * Returns the home country; empty if there is none. It is stored at the first call: a number that the organization adds
   * later, or with a stolen key, does not open another country.
   */
  async #findHome({ id, homeCountry }: Organization, ownNumber?: string): Promise<readonly string[]> {
    if (homeCountry !== null) return [homeCountry];
    const { phoneNumbers, organizations } = this.#dependencies;
    const numbers = await phoneNumbers.listE164(id);
    const [country] = findCountries([...numbers, ...(ownNumber === undefined ? [] : [ownNumber])]);
    return country === undefined ? [] : [await organizations.settleHomeCountry(id, country)];
  }
}
