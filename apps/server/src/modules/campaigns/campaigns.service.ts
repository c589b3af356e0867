import type {
  Campaign,
  CampaignActivity,
  CampaignChange,
  CampaignCreation,
  PauseReason,
} from "@parley/contract";
import { AppError, invalidBody } from "../../platform/app-error.ts";
import type { Bus } from "../../platform/bus/bus.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database, Queries } from "../../platform/database/database.ts";
import { toPage } from "../../platform/database/page.ts";
import type { AgentsService } from "../agents/agents.service.ts";
import type { OrganizationLimitsService } from "../organizations/organization-limits.ts";
import type { Line, OutboundPlanner } from "../phone-calls/outbound/outbound-planner.ts";
import { normalizeEnvironment } from "../phone-numbers/phone-numbers.rules.ts";
import { chooseIntervalSeconds, presentActivity } from "./activity/campaign-activity.rules.ts";
import { findActivityRange, recordActivity, sumActivity } from "./activity/campaign-activity.store.ts";
import { presentCampaign } from "./campaign-view.rules.ts";
import {
  changeSettings,
  count,
  defaultSettings,
  emptyTally,
  isDialing,
  isFinal,
  requireStartable,
  startedState,
  type Tally,
} from "./campaigns.rules.ts";
import * as store from "./campaigns.store.ts";
import { campaigns } from "./campaigns.tables.ts";
import { endPendingContacts } from "./contacts/contacts.store.ts";
import type { ContactsService } from "./contacts/contacts.service.ts";

const MINUTE_S = 60;

/** Topic of changes that the dialers of all nodes react to; the row is the campaign. */
export const CAMPAIGNS_TOPIC = "campaigns";

interface CampaignsDependencies {
  bus: Bus;
  clock: Clock;
  agents: AgentsService;
  contacts: ContactsService;
  outboundPlanner: OutboundPlanner;
  organizationLimits: OrganizationLimitsService;
}

type LineFields = Pick<store.CampaignRow, "agentId" | "environment" | "fromNumber">;

/** Campaigns and their states. Each change of a campaign happens under the lock of its row. */
export class CampaignsService {
  readonly #database: Database;
  readonly #dependencies: CampaignsDependencies;

  constructor(database: Database, dependencies: CampaignsDependencies) {
    this.#database = database;
    this.#dependencies = dependencies;
  }

  async create(
    organizationId: string,
    { contacts: inputs = [], start = false, ...fields }: CampaignCreation,
  ) {
    const { outboundPlanner, organizationLimits, contacts, clock } = this.#dependencies;
    if (start && inputs.length === 0)
      throw invalidBody("contacts", "must not be empty if the campaign is started");
    const environment = normalizeEnvironment(fields.environment ?? null);
    const { agent, from } = await this.#findLine(organizationId, { ...fields, environment });
    const settings = changeSettings(defaultSettings, fields, agent.document.timezone);
    const intake = await contacts.take(organizationId, inputs);
    const line = { agentId: agent.id, environment, fromNumber: from.e164 };
    if (start) await outboundPlanner.planLine(organizationId, line);
    const now = clock.now();
    const created = await this.#database.transaction(async (transaction) => {
      await this.#requireAgent(transaction, organizationId, agent.id);
      await organizationLimits.requireRoom(transaction, organizationId, {
        name: "campaigns",
        table: campaigns,
      });
      const row = await store.insertCampaign(transaction, {
        organizationId,
        ...line,
        ...settings,
        ...emptyTally,
        name: fields.name,
        agentName: agent.document.name,
        timezones: [],
        recentFailures: [],
        createdAt: now,
        updatedAt: now,
      });
      const contactsAdded = await contacts.store(transaction, row, intake);
      const started = start && (await this.#begin(transaction, row));
      return { row: started || row, contactsAdded };
    });
    const campaign = await this.get(organizationId, created.row.id);
    const { contactsAdded } = created;
    return { ...campaign, contactsAdded, duplicatesSkipped: inputs.length - contactsAdded };
  }

  async get(organizationId: string, id: string): Promise<Campaign> {
    const [campaign] = await this.#present([await this.read(organizationId, id)]);
    if (campaign === undefined) throw new AppError("not_found");
    return campaign;
  }

  /** Returns the campaign as stored. Throws `not_found`. */
  async read(organizationId: string, id: string): Promise<store.CampaignRow> {
    const row = await store.findCampaign(this.#database, organizationId, id);
    if (row === undefined) throw new AppError("not_found");
    return row;
  }

  /** Throws `not_found`. */
  async readActivity(organizationId: string, id: string): Promise<CampaignActivity> {
    await this.read(organizationId, id);
    const range = await findActivityRange(this.#database, id);
    const intervalSeconds = range === undefined ? MINUTE_S : chooseIntervalSeconds(range.first, range.last);
    return presentActivity(await sumActivity(this.#database, id, intervalSeconds), intervalSeconds);
  }

  async list(organizationId: string, filter: store.CampaignFilter) {
    const { rows, total } = await store.listCampaigns(this.#database, organizationId, filter);
    return toPage(filter, { rows: await this.#present(rows), total }, (campaign) => campaign);
  }

  /** Changes a draft. Throws `not_found`, `campaign_not_editable` and what creation throws. */
  async update(organizationId: string, id: string, change: CampaignChange): Promise<Campaign> {
    const before = await this.read(organizationId, id);
    requireDraft(before);
    const { name = before.name, agentId = before.agentId, fromNumber = before.fromNumber } = change;
    const environment =
      change.environment === undefined ? before.environment : normalizeEnvironment(change.environment);
    const { agent, from } = await this.#findLine(organizationId, { agentId, environment, fromNumber });
    await this.#database.transaction(async (transaction) => {
      await this.#requireAgent(transaction, organizationId, agent.id);
      const current = await this.#lock(transaction, organizationId, id);
      requireDraft(current);
      await store.updateCampaign(transaction, id, {
        ...changeSettings(current, change, agent.document.timezone),
        name,
        agentId: agent.id,
        agentName: agent.document.name,
        fromNumber: from.e164,
        environment,
        updatedAt: this.#dependencies.clock.now(),
      });
    });
    return await this.get(organizationId, id);
  }

  /** Starts a draft, or resumes a paused campaign. Throws `campaign_not_startable` and what its calls would throw. */
  async start(organizationId: string, id: string, from: "draft" | "paused"): Promise<Campaign> {
    const before = await this.read(organizationId, id);
    requireStartable(before, from);
    await this.#dependencies.outboundPlanner.planLine(organizationId, before);
    await this.#database.transaction(async (transaction) => {
      const row = await this.#lock(transaction, organizationId, id);
      requireStartable(row, from);
      await this.#begin(transaction, row);
    });
    return await this.get(organizationId, id);
  }

  /** Throws `not_found` and `campaign_not_pausable`. */
  async pause(organizationId: string, id: string): Promise<Campaign> {
    await this.#database.transaction(async (transaction) => {
      const row = await this.#lock(transaction, organizationId, id);
      if (!isDialing(row.status)) throw new AppError("campaign_not_pausable");
      await this.#stop(transaction, row, "requested", null);
    });
    return await this.get(organizationId, id);
  }

  /** Pauses a campaign that cannot go on. No effect if it does not dial any more. Returns whether it dialed. */
  async stop(id: string, reason: PauseReason, detail: string): Promise<boolean> {
    return await this.#database.transaction(async (transaction) => {
      const row = await store.lockCampaign(transaction, id);
      if (row === undefined || !isDialing(row.status)) return false;
      await this.#stop(transaction, row, reason, detail);
      return true;
    });
  }

  /** Begins to run a scheduled campaign whose `startAt` has come. */
  async beginScheduled(id: string): Promise<void> {
    await this.#database.transaction(async (transaction) => {
      const row = await store.lockCampaign(transaction, id);
      if (row?.status === "scheduled") await this.#begin(transaction, row);
    });
  }

  /** Throws `not_found` and `campaign_not_cancellable`. */
  async cancel(organizationId: string, id: string): Promise<Campaign> {
    const now = this.#dependencies.clock.now();
    await this.#database.transaction(async (transaction) => {
      const row = await this.#lock(transaction, organizationId, id);
      if (isFinal(row.status)) throw new AppError("campaign_not_cancellable");
      const ended = await endPendingContacts(transaction, id, now);
      for (const { outcome, count: contactsDone } of ended)
        await recordActivity(transaction, id, { at: now, outcome, attempts: 0, contactsDone });
      const tally = ended.reduce<Tally>((sum, { attempted, outcome, count: contacts }) => {
        return count(sum, {
          from: "pending",
          to: attempted ? "failed" : "canceled",
          outcome,
          count: contacts,
        });
      }, row);
      await store.updateCampaign(transaction, id, {
        contactCounts: tally.contactCounts,
        outcomeCounts: tally.outcomeCounts,
        status: "canceled",
        statusReason: null,
        statusDetail: null,
        completedAt: now,
        updatedAt: now,
      });
    });
    return await this.get(organizationId, id);
  }

  /** Deletes a draft or an ended campaign. Throws `not_found` and `campaign_not_editable`. */
  async delete(organizationId: string, id: string): Promise<void> {
    await this.#database.transaction(async (transaction) => {
      const row = await this.#lock(transaction, organizationId, id);
      if (row.status !== "draft" && !isFinal(row.status))
        throw new AppError("campaign_not_editable", {
          message: `A ${row.status} campaign cannot be deleted. Cancel it first.`,
        });
      await store.deleteCampaign(transaction, id);
    });
  }

  /** Throws `agent_in_use` if a campaign of the agent has not ended. */
  async requireUnused(transaction: Queries, agentId: string): Promise<void> {
    if (await store.hasUnendedCampaign(transaction, agentId))
      throw new AppError("agent_in_use", {
        message: "A campaign still uses this agent. Cancel the campaign, or delete it if it is a draft.",
      });
  }

  async #findLine(organizationId: string, line: LineFields): Promise<Line> {
    return await this.#dependencies.outboundPlanner.findLine(organizationId, line);
  }

  /** Prevents the agent's deletion until the transaction ends. */
  async #requireAgent(transaction: Queries, organizationId: string, id: string): Promise<void> {
    if (await this.#dependencies.agents.lockForReference(transaction, organizationId, id)) return;
    throw invalidBody("agentId", "must be the id of an agent of this organization");
  }

  async #lock(transaction: Queries, organizationId: string, id: string): Promise<store.CampaignRow> {
    const row = await store.lockCampaign(transaction, id);
    if (row?.organizationId !== organizationId) throw new AppError("not_found");
    return row;
  }

  async #begin(transaction: Queries, row: store.CampaignRow): Promise<store.CampaignRow> {
    const { bus, clock } = this.#dependencies;
    const now = clock.now();
    await bus.publish(transaction, CAMPAIGNS_TOPIC, row.id);
    return await store.updateCampaign(transaction, row.id, { ...startedState(row, now), updatedAt: now });
  }

  async #stop(
    transaction: Queries,
    row: store.CampaignRow,
    statusReason: PauseReason,
    statusDetail: string | null,
  ): Promise<void> {
    const updatedAt = this.#dependencies.clock.now();
    await store.updateCampaign(transaction, row.id, {
      status: "paused",
      statusReason,
      statusDetail,
      updatedAt,
    });
  }

  async #present(rows: readonly store.CampaignRow[]): Promise<Campaign[]> {
    const { agents, clock } = this.#dependencies;
    const due = await store.findDueTimes(
      this.#database,
      rows.map(({ id }) => id),
    );
    const agentIds = [...new Set(rows.map(({ agentId }) => agentId))];
    const names = await agents.findNames(rows[0]?.organizationId ?? "", agentIds);
    const now = clock.now();
    return rows.map((row) => {
      const agentName = names.get(row.agentId) ?? row.agentName;
      return presentCampaign(row, { agentName, due: due.get(row.id) ?? new Map(), now });
    });
  }
}

function requireDraft({ status }: store.CampaignRow): void {
  if (status !== "draft")
    throw new AppError("campaign_not_editable", {
      message: `Only a draft can be changed; this campaign is ${status}.`,
    });
}
