import { isSupportedCountry } from "libphonenumber-js/max";
import { AppError, invalidBody } from "../../platform/app-error.ts";
import type { Database, Queries } from "../../platform/database/database.ts";
import * as store from "./organizations.store.ts";

export interface Organization {
  id: string;
  name: string;
  isBillingActive: boolean;
  /** ISO 3166; where its calls may go. Null: the countries of its own numbers. */
  allowedCountries: string[] | null;
}

interface OrganizationUpdate {
  allowedCountries?: string[] | null | undefined;
}

export class OrganizationsService {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async find(id: string): Promise<Organization | undefined> {
    return await store.findOrganization(this.#database, id);
  }

  /** Throws `not_found`. */
  async get(id: string): Promise<Organization> {
    const organization = await this.find(id);
    if (organization === undefined) throw new AppError("not_found");
    return organization;
  }

  /** What is absent stays. */
  async update(id: string, { allowedCountries }: OrganizationUpdate): Promise<Organization> {
    for (const [index, country] of (allowedCountries ?? []).entries()) {
      if (!isSupportedCountry(country))
        throw invalidBody(`allowedCountries.${index}`, "must be an ISO 3166 country code");
    }
    if (allowedCountries !== undefined)
      await store.updateAllowedCountries(this.#database, id, allowedCountries);
    return await this.get(id);
  }

  /** The organization of this slug, created where there is none. */
  async ensure(queries: Queries, slug: string, name: string): Promise<Organization> {
    return await store.ensureOrganization(queries, slug, name);
  }

  /** Creates the organization of this slug if there is no organization at all; else returns `undefined`. */
  async createFirst(queries: Queries, slug: string, name: string): Promise<Organization | undefined> {
    return await store.insertFirstOrganization(queries, slug, name);
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
