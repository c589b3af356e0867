import type { PageQuery, PhoneNumber } from "@parley/contract";
import type { Clock } from "../../platform/clock.ts";
import { AppError, invalidBody } from "../../platform/app-error.ts";
import type { Author } from "../../platform/author.ts";
import type { Database, Queries } from "../../platform/database/database.ts";
import { toPage } from "../../platform/database/page.ts";
import type { ResolvedAgent } from "../agents/versions/agent-resolution.rules.ts";
import type { AgentResolution } from "../agents/versions/agent-resolution.service.ts";
import { writeDocument } from "../agents/agent-state.rules.ts";
import type { AgentWriter } from "../agents/agent-writer.ts";
import type { AgentsService } from "../agents/agents.service.ts";
import type { OrganizationLimitsService } from "../organizations/organization-limits.ts";
import type { Organization, OrganizationsService } from "../organizations/organizations.service.ts";
import type { TrunkSettings } from "../sip-trunks/sip-trunks.rules.ts";
import type { SipTrunksService } from "../sip-trunks/sip-trunks.service.ts";
import type { NumberClaims } from "./number-claims.ts";
import { normalizePhoneNumber } from "../../platform/phone-number.ts";
import { bindNumber, normalizeEnvironment, unbindNumber, withoutTrunk } from "./phone-numbers.rules.ts";
import * as store from "./phone-numbers.store.ts";
import { phoneNumbers } from "./phone-numbers.tables.ts";

/** Data that decides how a call to one of our numbers is handled. */
export interface InboundNumber {
  organization: Organization;
  number: PhoneNumber;
  trunk: TrunkSettings;
  agent: ResolvedAgent;
}

/** A number of a trunk; other trunks may have the same number. */
export interface TrunkNumber {
  sipTrunkId: string;
  e164: string;
}

interface NewNumber {
  e164: string;
  environment?: string | null;
}

interface NumberChange {
  agentId?: string | null;
  environment?: string | null;
}

interface PhoneNumbersDependencies {
  agents: AgentsService;
  agentResolution: AgentResolution;
  writer: AgentWriter;
  sipTrunks: SipTrunksService;
  organizations: OrganizationsService;
  organizationLimits: OrganizationLimitsService;
  claims: NumberClaims;
  clock: Clock;
}

/** Phone numbers. They are part of their agent's document, so every change of a number writes the agent. */
export class PhoneNumbersService {
  readonly #database: Database;
  readonly #agents: AgentsService;
  readonly #agentResolution: AgentResolution;
  readonly #writer: AgentWriter;
  readonly #clock: Clock;
  readonly #sipTrunks: SipTrunksService;
  readonly #organizations: OrganizationsService;
  readonly #limits: OrganizationLimitsService;
  readonly #claims: NumberClaims;

  constructor(database: Database, dependencies: PhoneNumbersDependencies) {
    this.#database = database;
    this.#agents = dependencies.agents;
    this.#agentResolution = dependencies.agentResolution;
    this.#writer = dependencies.writer;
    this.#clock = dependencies.clock;
    this.#sipTrunks = dependencies.sipTrunks;
    this.#organizations = dependencies.organizations;
    this.#limits = dependencies.organizationLimits;
    this.#claims = dependencies.claims;
  }

  /** Binds the number to the agent. A number that the organization already has must not be bound to another agent. */
  async add(by: Author, agentId: string, { e164: text, ...requested }: NewNumber): Promise<PhoneNumber> {
    const e164 = normalizePhoneNumber(text);
    if (e164 === undefined) throw invalidBody("e164", "must be a valid phone number with its country code");
    const environment = normalizeEnvironment(requested.environment ?? null);
    const { sipTrunkId } = (await this.#agents.read(by.organizationId, agentId)).document;
    if (sipTrunkId === null)
      throw invalidBody("e164", "cannot be added: the agent has no SIP trunk; set its sipTrunkId first");
    return await this.#database.transaction(async (transaction) => {
      // All writers lock the trunk before the agent, which prevents deadlocks.
      const isThere = await this.#sipTrunks.lockForReference(transaction, by.organizationId, sipTrunkId);
      if (!isThere)
        throw invalidBody("e164", "cannot be added: the agent has no SIP trunk; set its sipTrunkId first");
      await this.#claims.requireNumber(transaction, by.organizationId, sipTrunkId, e164);
      await this.#writer.lock(transaction, by, [agentId]);
      if (environment !== null) await this.#agents.requireEnvironment(transaction, agentId, environment);
      const { organizationId } = by;
      const known = await store.lockNumberByE164(transaction, organizationId, e164);
      if (known === undefined)
        await this.#limits.requireRoom(transaction, organizationId, {
          name: "phoneNumbers",
          table: phoneNumbers,
        });
      const row = await take(
        transaction,
        {
          organizationId,
          agentId,
          sipTrunkId,
          environment,
          e164,
        },
        this.#clock.now(),
      );
      await this.#writer.write(transaction, by, agentId, (before) =>
        writeDocument(before, bindNumber(before.document, toBoundNumber(row))),
      );
      return present(row);
    });
  }

  async listOfAgent(organizationId: string, agentId: string, query: PageQuery) {
    await this.#agents.read(organizationId, agentId);
    return await this.list(organizationId, { ...query, agentId });
  }

  async list(organizationId: string, filter: store.PhoneNumberFilter) {
    return toPage(filter, await store.listNumbers(this.#database, organizationId, filter), present);
  }

  async get(organizationId: string, id: string): Promise<PhoneNumber> {
    const row = await store.findNumber(this.#database, organizationId, id);
    if (row === undefined) throw new AppError("not_found");
    return present(row);
  }

  /** Binds the number to another environment, another agent, or no agent. */
  async update(by: Author, agentId: string, id: string, change: NumberChange): Promise<PhoneNumber> {
    return await this.#database.transaction(async (transaction) => {
      const to = change.agentId === undefined ? agentId : change.agentId;
      const locked = await this.#writer.lock(transaction, by, to === null ? [agentId] : [agentId, to]);
      if (to !== null && to !== agentId && !locked.includes(to))
        throw invalidBody("agentId", "must be the id of an agent of this organization");
      const row = locked.includes(agentId)
        ? await store.lockNumberOfAgent(transaction, agentId, id)
        : undefined;
      if (row === undefined) throw new AppError("not_found");
      const environment = environmentAfter(row, to, change);
      const isMoved = to !== row.agentId;
      if (!isMoved && environment === row.environment) return present(row);
      if (to !== null && environment !== null)
        await this.#agents.requireEnvironment(transaction, to, environment);
      const moved = await store.updateNumber(transaction, id, {
        agentId: to,
        environment,
        updatedAt: this.#clock.now(),
      });
      if (isMoved) await this.#unbind(transaction, by, agentId, id);
      if (to !== null) {
        await this.#writer.write(transaction, by, to, (before) =>
          writeDocument(before, bindNumber(before.document, toBoundNumber(moved))),
        );
      }
      return present(moved);
    });
  }

  async delete(by: Author, agentId: string, id: string): Promise<void> {
    await this.#database.transaction(async (transaction) => {
      const [locked] = await this.#writer.lock(transaction, by, [agentId]);
      const row = locked === undefined ? undefined : await store.lockNumberOfAgent(transaction, agentId, id);
      if (row === undefined) throw new AppError("not_found");
      await store.deleteNumber(transaction, id);
      await this.#unbind(transaction, by, agentId, id);
    });
  }

  /** Throws `not_found`, and `in_use` while the number is bound to an agent. */
  async deleteUnbound(organizationId: string, id: string): Promise<void> {
    const found = await store.findNumber(this.#database, organizationId, id);
    if (found === undefined) throw new AppError("not_found");
    // The number may have been bound meanwhile.
    if (found.agentId === null && (await store.deleteClaim(this.#database, found))) return;
    throw new AppError("in_use", {
      message:
        "The number is bound to an agent. Set its agentId to null first, or delete it with DELETE /agents/{id}/phone-numbers/{phoneId}.",
    });
  }

  /** Lists numbers of all organizations, for the operator. */
  async listClaims({ e164, ...query }: store.ClaimFilter) {
    const filter = { ...query, ...(e164 !== undefined && { e164: normalizePhoneNumber(e164) ?? e164 }) };
    return toPage(filter, await store.listClaims(this.#database, filter), (row) => ({
      ...present(row),
      organizationId: row.organizationId,
    }));
  }

  /** Deletes a number of any organization, for the operator. Throws `not_found`. Returns what was deleted. */
  async release(
    id: string,
  ): Promise<{ phoneNumberId: string; organizationId: string; agentId: string | null }> {
    return await this.#database.transaction(async (transaction) => {
      const found = await store.findClaim(transaction, id);
      if (found === undefined) throw new AppError("not_found");
      const { organizationId, agentId } = found;
      const by: Author = { organizationId, actor: { type: "system", name: "operator" } };
      // As everywhere, the agent is locked before its number.
      if (agentId !== null) await this.#writer.lock(transaction, by, [agentId]);
      if (!(await store.deleteClaim(transaction, found)))
        throw new AppError("not_found", {
          message: "The number was changed at the same time. Send the request again.",
        });
      if (agentId !== null) await this.#unbind(transaction, by, agentId, id);
      return { phoneNumberId: id, organizationId, agentId };
    });
  }

  /**
   * Deletes the numbers of a trunk that is being deleted, and writes a version of each affected agent without them and
   * the trunk. Throws `in_use` if there are any, unless the deletion is forced.
   */
  async releaseTrunk(
    transaction: Queries,
    by: Author,
    sipTrunkId: string,
    { isForced }: { isForced: boolean },
  ): Promise<void> {
    const referring = await this.#agents.listReferringToTrunk(transaction, sipTrunkId);
    const numbers = await store.countNumbersOfTrunk(transaction, sipTrunkId);
    if (!isForced && referring.length + numbers > 0) {
      throw new AppError("in_use", {
        message:
          `The trunk has ${numbers} phone number(s), and ${referring.length} agent(s) use it. Delete or move them, or ` +
          "send force=true: the numbers are then deleted, and the agents are left without a trunk.",
      });
    }
    const bound = await store.listAgentsOfTrunk(transaction, sipTrunkId);
    const agentIds = await this.#writer.lock(transaction, by, [...referring, ...bound]);
    const numberIds = await store.deleteNumbersOfTrunk(transaction, sipTrunkId);
    for (const agentId of agentIds) {
      await this.#writer.write(transaction, by, agentId, (before) =>
        writeDocument(before, withoutTrunk(before.document, sipTrunkId, numberIds)),
      );
    }
  }

  /** Unbinds the numbers of a deleted agent; the organization keeps them. */
  async releaseAgent(transaction: Queries, agentId: string): Promise<void> {
    await store.unbindNumbersOfAgent(transaction, agentId, this.#clock.now());
  }

  /** Finds the agent that answers calls to this number (E.164) of this trunk; `undefined` if it is bound to none. */
  async findInbound({ sipTrunkId, e164 }: TrunkNumber): Promise<InboundNumber | undefined> {
    const row = await store.findNumberOnTrunk(this.#database, sipTrunkId, e164);
    if (row === undefined || row.agentId === null) return undefined;
    const [organization, trunk, agent] = await Promise.all([
      this.#organizations.find(row.organizationId),
      this.#sipTrunks.find(row.organizationId, row.sipTrunkId),
      this.#resolve(row.organizationId, row.agentId, row.environment),
    ]);
    if (organization === undefined || trunk === undefined || agent === undefined) return undefined;
    return { organization, number: present(row), trunk, agent };
  }

  /** `undefined` if the agent was deleted meanwhile. */
  async #resolve(
    organizationId: string,
    agentId: string,
    environment: string | null,
  ): Promise<ResolvedAgent | undefined> {
    try {
      return await this.#agentResolution.resolveAgent(organizationId, agentId, {
        kind: "inbound_number",
        environment,
      });
    } catch (error) {
      if (error instanceof AppError && error.code === "not_found") return undefined;
      throw error;
    }
  }

  /** Those of these numbers (E.164) that belong to the trunk. */
  async listOnTrunk(
    organizationId: string,
    sipTrunkId: string,
    e164s: readonly string[],
  ): Promise<PhoneNumber[]> {
    return (await store.findNumbersOnTrunk(this.#database, organizationId, sipTrunkId, e164s)).map(present);
  }

  /** Every number of the organization, the oldest first. */
  async listE164(organizationId: string): Promise<string[]> {
    return await store.listE164(this.#database, organizationId);
  }

  async #unbind(transaction: Queries, by: Author, agentId: string, id: string): Promise<void> {
    await this.#writer.write(transaction, by, agentId, (before) =>
      writeDocument(before, unbindNumber(before.document, id)),
    );
  }
}

/** Inserts a new number, or takes one that the organization has bound to no agent. */
async function take(
  transaction: Queries,
  number: Parameters<typeof store.insertNumber>[1] & { e164: string },
  now: Date,
): Promise<store.PhoneNumberRow> {
  const created = await store.insertNumber(transaction, number);
  if (created !== undefined) return created;
  const existing = await store.lockNumberByE164(transaction, number.organizationId, number.e164);
  if (existing === undefined || existing.agentId !== null) throw invalidBody("e164", "is already in use");
  return await store.updateNumber(transaction, existing.id, { ...number, updatedAt: now });
}

/** A number that moves to another agent runs in production there unless the change names an environment. */
function environmentAfter(
  row: store.PhoneNumberRow,
  to: string | null,
  { environment }: NumberChange,
): string | null {
  if (to === null) return null;
  if (environment !== undefined) return normalizeEnvironment(environment);
  return to === row.agentId ? row.environment : null;
}

function toBoundNumber({ id, e164, environment, createdAt, updatedAt }: store.PhoneNumberRow) {
  const times = { createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
  return { id, e164, environment, ...times };
}

function present(row: store.PhoneNumberRow): PhoneNumber {
  return { ...toBoundNumber(row), agentId: row.agentId, sipTrunkId: row.sipTrunkId };
}
