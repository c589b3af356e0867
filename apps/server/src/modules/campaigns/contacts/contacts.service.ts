import type { CampaignContactDetail, ContactCheck, ContactCheckResult, ContactInput } from "@parley/contract";
import { AppError } from "../../../platform/app-error.ts";
import type { Bus } from "../../../platform/bus/bus.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Database, Queries } from "../../../platform/database/database.ts";
import { toPage } from "../../../platform/database/page.ts";
import { normalizeNumberFilter } from "../../calls/calls.rules.ts";
import type { CallsService } from "../../calls/calls.service.ts";
import type { OrganizationLimitsService } from "../../organizations/organization-limits.ts";
import { isDestinationAllowed } from "../../phone-calls/outbound/destination.rules.ts";
import type { OutboundPlanner } from "../../phone-calls/outbound/outbound-planner.ts";
import { presentContact } from "../campaign-view.rules.ts";
import { count, isFinal } from "../campaigns.rules.ts";
import { type CampaignRow, findCampaign, lockCampaign, updateCampaign } from "../campaigns.store.ts";
import { checkContacts } from "./contact-check.rules.ts";
import { type ContactIntake, takeContacts } from "./contact-intake.rules.ts";
import { csvHeader, csvRow } from "./contacts-csv.rules.ts";
import * as store from "./contacts.store.ts";

const EXPORTED_AT_ONCE = 1_000;

interface ContactsDependencies {
  bus: Bus;
  clock: Clock;
  calls: CallsService;
  outboundPlanner: OutboundPlanner;
  organizationLimits: OrganizationLimitsService;
  /** Topic of campaigns that changed. */
  topic: string;
}

export class ContactsService {
  readonly #database: Database;
  readonly #dependencies: ContactsDependencies;

  constructor(database: Database, dependencies: ContactsDependencies) {
    this.#database = database;
    this.#dependencies = dependencies;
  }

  /** Checks the contacts of a request. Throws `invalid_body` and `destination_not_allowed`. */
  async take(organizationId: string, inputs: readonly ContactInput[]): Promise<ContactIntake> {
    const destinations = await this.#dependencies.outboundPlanner.findDestinations(organizationId);
    return await takeContacts(inputs, (toNumber) => isDestinationAllowed(toNumber, destinations));
  }

  /** Returns for each contact what a campaign would store or refuse. */
  async check(
    organizationId: string,
    { contacts, defaultCountry }: ContactCheck,
  ): Promise<ContactCheckResult> {
    const destinations = await this.#dependencies.outboundPlanner.findDestinations(organizationId);
    const country = defaultCountry === undefined ? (destinations.countries[0] ?? null) : defaultCountry;
    const isAllowed = (toNumber: string): boolean => isDestinationAllowed(toNumber, destinations);
    return { defaultCountry: country, contacts: await checkContacts(contacts, country, isAllowed) };
  }

  /** Adds contacts to a campaign, which is locked. Returns how many are new. Throws `limit_reached`. */
  async store(transaction: Queries, campaign: CampaignRow, intake: ContactIntake): Promise<number> {
    const { clock, organizationLimits } = this.#dependencies;
    if (intake.contacts.length === 0) return 0;
    const now = clock.now();
    const added = await store.insertContacts(transaction, campaign.id, intake.contacts, now);
    const tally = count(campaign, { to: "pending", count: added });
    const total = Object.values(tally.contactCounts).reduce((sum, each) => sum + each, 0);
    const { contactsPerCampaign } = await organizationLimits.find(campaign.organizationId, transaction);
    if (total > contactsPerCampaign)
      throw new AppError("limit_reached", {
        message: `A campaign has at most ${contactsPerCampaign} contacts. Create another one, or ask the operator to raise the limit contactsPerCampaign.`,
      });
    const timezones = [...new Set([...campaign.timezones, ...intake.timezones])];
    const { contactCounts } = tally;
    await updateCampaign(transaction, campaign.id, { contactCounts, timezones, updatedAt: now });
    return added;
  }

  /** Throws `not_found`, `campaign_not_editable` and what `take` and `store` throw. */
  async add(organizationId: string, campaignId: string, inputs: readonly ContactInput[]) {
    await this.#read(organizationId, campaignId);
    const intake = await this.take(organizationId, inputs);
    const { bus, topic } = this.#dependencies;
    return await this.#database.transaction(async (transaction) => {
      const campaign = await lockCampaign(transaction, campaignId);
      if (campaign?.organizationId !== organizationId) throw new AppError("not_found");
      if (isFinal(campaign.status))
        throw new AppError("campaign_not_editable", {
          message: `The campaign is ${campaign.status}: contacts can no longer be added.`,
        });
      const contactsAdded = await this.store(transaction, campaign, intake);
      await bus.publish(transaction, topic, campaignId);
      return { contactsAdded, duplicatesSkipped: inputs.length - contactsAdded };
    });
  }

  async list(organizationId: string, campaignId: string, { toNumber, ...filter }: store.ContactFilter) {
    const campaign = await this.#read(organizationId, campaignId);
    const numbered = toNumber === undefined ? {} : { toNumber: normalizeNumberFilter(toNumber) };
    const rows = await store.listContacts(this.#database, campaignId, { ...filter, ...numbered });
    const now = this.#dependencies.clock.now();
    return toPage(filter, rows, (row) => presentContact(row, campaign, now));
  }

  async get(organizationId: string, campaignId: string, id: string): Promise<CampaignContactDetail> {
    const { clock, calls } = this.#dependencies;
    const campaign = await this.#read(organizationId, campaignId);
    const row = await store.findContact(this.#database, campaignId, id);
    if (row === undefined) throw new AppError("not_found");
    return { ...presentContact(row, campaign, clock.now()), calls: await calls.listToContact(id) };
  }

  /** Returns all contacts as CSV. Rows are read while they are sent. */
  async export(organizationId: string, campaignId: string): Promise<AsyncGenerator<string>> {
    return this.#exportRows(await this.#read(organizationId, campaignId));
  }

  async *#exportRows(campaign: CampaignRow): AsyncGenerator<string> {
    const names = await store.listVariableNames(this.#database, campaign.id);
    const now = this.#dependencies.clock.now();
    yield csvHeader(names);
    for (let position = 0; ;) {
      const rows = await store.listContactsAfter(this.#database, campaign.id, position, EXPORTED_AT_ONCE);
      yield rows.map((row) => csvRow(presentContact(row, campaign, now), names)).join("");
      if (rows.length < EXPORTED_AT_ONCE) return;
      position = rows.at(-1)?.position ?? position;
    }
  }

  async #read(organizationId: string, campaignId: string): Promise<CampaignRow> {
    const campaign = await findCampaign(this.#database, organizationId, campaignId);
    if (campaign === undefined) throw new AppError("not_found");
    return campaign;
  }
}
