import type { Database, Queries } from "../../platform/database/database.ts";
import * as store from "./organizations.store.ts";

export interface Organization {
  id: string;
  name: string;
  isBillingActive: boolean;
  /** ISO 3166; where its calls may go. Null: the countries of its own numbers. */
  allowedCountries: readonly string[] | null;
}

export class OrganizationsService {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async find(id: string): Promise<Organization | undefined> {
    return await store.findOrganization(this.#database, id);
  }

  /** The organization of this slug, created where there is none. */
  async ensure(queries: Queries, slug: string, name: string): Promise<Organization> {
    return await store.ensureOrganization(queries, slug, name);
  }

  /** The operator's switch. Requests notice within half a minute (API keys are cached), calls at once. */
  async setBillingActive(id: string, isActive: boolean): Promise<void> {
    await store.updateBilling(this.#database, id, isActive);
  }

  /** Removes sessions and verifications that no longer count; returns how many. */
  async deleteExpiredIdentities(now: Date): Promise<number> {
    return await store.deleteExpired(this.#database, now);
  }
}
