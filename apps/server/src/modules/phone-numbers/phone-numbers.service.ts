import type { PageQuery, PhoneNumber, SipTrunk } from "@parley/contract";
import { AppError, invalidBody } from "../../platform/app-error.ts";
import type { Database } from "../../platform/database/database.ts";
import { toPage } from "../../platform/database/page.ts";
import type { AgentRecord, AgentsService } from "../agents/agents.service.ts";
import type { Organization, OrganizationsService } from "../organizations/organizations.service.ts";
import type { SipTrunksService } from "../sip-trunks/sip-trunks.service.ts";
import { normalizePhoneNumber } from "./phone-numbers.rules.ts";
import * as store from "./phone-numbers.store.ts";

/** Everything that decides what becomes of a call to one of our numbers. */
export interface InboundNumber {
  organization: Organization;
  number: PhoneNumber;
  trunk: SipTrunk;
  agent: AgentRecord;
}

interface PhoneNumbersDependencies {
  agents: AgentsService;
  sipTrunks: SipTrunksService;
  organizations: OrganizationsService;
}

export class PhoneNumbersService {
  readonly #database: Database;
  readonly #agents: AgentsService;
  readonly #sipTrunks: SipTrunksService;
  readonly #organizations: OrganizationsService;

  constructor(database: Database, { agents, sipTrunks, organizations }: PhoneNumbersDependencies) {
    this.#database = database;
    this.#agents = agents;
    this.#sipTrunks = sipTrunks;
    this.#organizations = organizations;
  }

  /** Binds the number to the agent; one that the organization has already must not be bound elsewhere. */
  async add(organizationId: string, agentId: string, text: string): Promise<PhoneNumber> {
    const e164 = normalizePhoneNumber(text);
    if (e164 === undefined) throw invalidBody("e164", "is not a possible telephone number");
    const { sipTrunkId } = await this.#requireAgent(organizationId, agentId);
    if (sipTrunkId === null) throw invalidBody("e164", "needs an agent with a SIP trunk");
    return await this.#database.transaction(async (transaction) => {
      const created = await store.insertNumber(transaction, { organizationId, agentId, sipTrunkId, e164 });
      if (created !== undefined) return present(created);
      const existing = await store.lockNumberByE164(transaction, e164);
      // Another organization's number is no more than in use: whose it is, is not told.
      if (existing === undefined || existing.organizationId !== organizationId || existing.agentId !== null) {
        throw invalidBody("e164", "is in use");
      }
      const change = { agentId, sipTrunkId, updatedAt: new Date() };
      const row = await store.updateNumber(transaction, existing.id, change);
      return present(row ?? existing);
    });
  }

  async listOfAgent(organizationId: string, agentId: string, query: PageQuery) {
    await this.#requireAgent(organizationId, agentId);
    return await this.list(organizationId, { ...query, agentId });
  }

  async list(organizationId: string, filter: store.PhoneNumberFilter) {
    return toPage(filter, await store.listNumbers(this.#database, organizationId, filter), present);
  }

  /** Binds the number to another agent, or to none. */
  async move(
    organizationId: string,
    agentId: string,
    id: string,
    toAgentId: string | null | undefined,
  ): Promise<PhoneNumber> {
    if (typeof toAgentId === "string" && (await this.#agents.find(organizationId, toAgentId)) === undefined) {
      throw invalidBody("agentId", "names no agent");
    }
    const row = await store.findNumberOfAgent(this.#database, organizationId, agentId, id);
    if (row === undefined) throw new AppError("not_found");
    if (toAgentId === undefined || toAgentId === row.agentId) return present(row);
    const moved = await store.updateNumber(this.#database, id, { agentId: toAgentId, updatedAt: new Date() });
    if (moved === undefined) throw new AppError("not_found");
    return present(moved);
  }

  async delete(organizationId: string, agentId: string, id: string): Promise<void> {
    const isDeleted = await store.deleteNumberOfAgent(this.#database, organizationId, agentId, id);
    if (!isDeleted) throw new AppError("not_found");
  }

  /**
   * Who answers calls to this number; `dialled` as SIP carries it, with or without `+`. Undefined where the number
   * is unknown or bound to no agent.
   */
  async findInbound(dialled: string): Promise<InboundNumber | undefined> {
    const e164 = normalizePhoneNumber(dialled.startsWith("+") ? dialled : `+${dialled}`);
    const row = e164 === undefined ? undefined : await store.findNumberByE164(this.#database, e164);
    if (row === undefined || row.agentId === null) return undefined;
    const [organization, trunk, agent] = await Promise.all([
      this.#organizations.find(row.organizationId),
      this.#sipTrunks.find(row.organizationId, row.sipTrunkId),
      this.#agents.find(row.organizationId, row.agentId),
    ]);
    if (organization === undefined || trunk === undefined || agent === undefined) return undefined;
    return { organization, number: present(row), trunk, agent };
  }

  async #requireAgent(organizationId: string, agentId: string): Promise<AgentRecord> {
    const agent = await this.#agents.find(organizationId, agentId);
    if (agent === undefined) throw new AppError("not_found");
    return agent;
  }
}

function present(row: store.PhoneNumberRow): PhoneNumber {
  return {
    id: row.id,
    e164: row.e164,
    agentId: row.agentId,
    sipTrunkId: row.sipTrunkId,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
