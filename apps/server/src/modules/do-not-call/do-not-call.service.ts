import type { DoNotCallEntry, DoNotCallSettings, DoNotCallSettingsChange } from "@parley/contract";
import { AppError, invalidBody } from "../../platform/app-error.ts";
import type { Clock } from "../../platform/clock.ts";
import { toCsvRow } from "../../platform/csv.ts";
import type { Database, Queries } from "../../platform/database/database.ts";
import { toPage } from "../../platform/database/page.ts";
import { normalizePhoneNumber } from "../../platform/phone-number.ts";
import type { OrganizationLimitsService } from "../organizations/organization-limits.ts";
import { readNumbers } from "./do-not-call.rules.ts";
import * as store from "./do-not-call.store.ts";

const EXPORTED_AT_ONCE = 1_000;
const defaults: DoNotCallSettings = { maxDialsPerDay: null };

/** Numbers that an organization does not call, and its settings about them. */
export class DoNotCallService {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #limits: OrganizationLimitsService;

  constructor(database: Database, clock: Clock, organizationLimits: OrganizationLimitsService) {
    this.#database = database;
    this.#clock = clock;
    this.#limits = organizationLimits;
  }

  /** Returns the existing entry if there is one. Throws `invalid_body` and `limit_reached`. */
  async add(organizationId: string, text: string): Promise<DoNotCallEntry> {
    const phoneNumber = normalizePhoneNumber(text);
    if (phoneNumber === undefined)
      throw invalidBody("phoneNumber", "must be a valid phone number with its country code");
    await this.#insert(organizationId, [phoneNumber], { source: "api" });
    const row = await store.findByNumber(this.#database, organizationId, phoneNumber);
    if (row === undefined) throw new AppError("not_found");
    return present(row);
  }

  /** Adds the number of a call whose other side asked the agent for it. */
  async addForAgent(organizationId: string, number: string): Promise<void> {
    const phoneNumber = normalizePhoneNumber(number);
    if (phoneNumber === undefined) throw new Error("the call's number is not a phone number");
    await this.#insert(organizationId, [phoneNumber], { source: "agent" });
  }

  /** Throws `invalid_body` and `limit_reached`. */
  async import(organizationId: string, csv: string) {
    const phoneNumbers = await readNumbers(csv);
    const numbersAdded = await this.#insert(organizationId, phoneNumbers, { source: "import" });
    return { numbersAdded, duplicatesSkipped: phoneNumbers.length - numbersAdded };
  }

  /** Returns all entries as CSV. Rows are read while they are sent. */
  async *export(organizationId: string): AsyncGenerator<string> {
    // The header comes with the first rows: once a part has been sent, a failure cannot be answered any more.
    let lines = [toCsvRow(["phoneNumber", "source", "createdAt"])];
    let rows: store.EntryRow[] = [];
    do {
      rows = await store.listEntriesAfter(this.#database, organizationId, rows.at(-1), EXPORTED_AT_ONCE);
      for (const { phoneNumber, source, createdAt } of rows)
        lines.push(toCsvRow([phoneNumber, source, createdAt.toISOString()]));
      yield lines.join("");
      lines = [];
    } while (rows.length === EXPORTED_AT_ONCE);
  }

  async get(organizationId: string, id: string): Promise<DoNotCallEntry> {
    const row = await store.findEntry(this.#database, organizationId, id);
    if (row === undefined) throw new AppError("not_found");
    return present(row);
  }

  async list(organizationId: string, { phoneNumber, ...page }: store.EntryFilter) {
    // A `+` that a client sent unencoded in the query arrives as a space.
    const text = phoneNumber?.replace(/^ /, "+");
    const number = text === undefined ? {} : { phoneNumber: normalizePhoneNumber(text) ?? text };
    const rows = await store.listEntries(this.#database, organizationId, { ...page, ...number });
    return toPage(page, rows, present);
  }

  async delete(organizationId: string, id: string): Promise<void> {
    if (!(await store.deleteEntry(this.#database, organizationId, id))) throw new AppError("not_found");
  }

  /** @param phoneNumber E.164. */
  async isListed(
    organizationId: string,
    phoneNumber: string,
    queries: Queries = this.#database,
  ): Promise<boolean> {
    return (await store.findByNumber(queries, organizationId, phoneNumber)) !== undefined;
  }

  async getSettings(organizationId: string, queries: Queries = this.#database): Promise<DoNotCallSettings> {
    return (await store.findSettings(queries, organizationId)) ?? defaults;
  }

  async updateSettings(organizationId: string, change: DoNotCallSettingsChange): Promise<DoNotCallSettings> {
    const before = await this.getSettings(organizationId);
    const { maxDialsPerDay = before.maxDialsPerDay } = change;
    const settings = { maxDialsPerDay };
    await store.writeSettings(this.#database, organizationId, settings);
    return settings;
  }

  async #insert(
    organizationId: string,
    phoneNumbers: readonly string[],
    origin: Pick<store.NewEntries, "source">,
  ): Promise<number> {
    const now = this.#clock.now();
    return await this.#database.transaction(async (transaction) => {
      await this.#limits.lock(transaction, organizationId);
      const entries = { organizationId, phoneNumbers, now, ...origin };
      const added = await store.insertEntries(transaction, entries);
      if (added > 0) await this.#requireWithinLimit(transaction, organizationId);
      return added;
    });
  }

  async #requireWithinLimit(transaction: Queries, organizationId: string): Promise<void> {
    const { doNotCallNumbers } = await this.#limits.find(organizationId, transaction);
    if ((await store.countEntries(transaction, organizationId)) <= doNotCallNumbers) return;
    throw new AppError("limit_reached", {
      message: `The do-not-call list has at most ${doNotCallNumbers} numbers, so none was added. Remove some, or ask the operator to raise the limit doNotCallNumbers.`,
    });
  }
}

function present({ id, phoneNumber, source, createdAt }: store.EntryRow): DoNotCallEntry {
  return { id, phoneNumber, source, createdAt: createdAt.toISOString() };
}
