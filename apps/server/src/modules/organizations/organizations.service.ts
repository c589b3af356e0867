import type { OrganizationLimits } from "@parley/contract";
import { isSupportedCountry } from "libphonenumber-js/max";
import { AppError, invalidBody } from "../../platform/app-error.ts";
import type { Database, Queries } from "../../platform/database/database.ts";
import { limitsOf } from "./organization-limits.ts";
import * as store from "./organizations.store.ts";

export interface Organization {
  id: string;
  name: string;
  isBillingActive: boolean;
  /** ISO 3166 codes of countries that may be called. `null`: the countries of the organization's own numbers. */
  allowedCountries: string[] | null;
  limits: OrganizationLimits;
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
    const row = await store.findOrganization(this.#database, id);
    return row && present(row);
  }

  /** Throws `not_found`. */
  async get(id: string): Promise<Organization> {
    const organization = await this.find(id);
    if (organization === undefined) throw new AppError("not_found");
    return organization;
  }

  /** Absent fields stay. */
  async update(id: string, { allowedCountries }: OrganizationUpdate): Promise<Organization> {
    for (const [index, country] of (allowedCountries ?? []).entries()) {
      if (!isSupportedCountry(country))
        throw invalidBody(`allowedCountries.${index}`, "must be an ISO 3166 country code");
    }
    if (allowedCountries !== undefined)
      await store.updateAllowedCountries(this.#database, id, allowedCountries);
    return await this.get(id);
  }

  /** Returns the organization of this slug, and creates it if it does not exist. */
  async ensure(queries: Queries, slug: string, name: string): Promise<Organization> {
    return present(await store.ensureOrganization(queries, slug, name));
  }

  /** Creates the organization of this slug if no organization exists; otherwise returns `undefined`. */
  async createFirst(queries: Queries, slug: string, name: string): Promise<Organization | undefined> {
    const row = await store.insertFirstOrganization(queries, slug, name);
    return row && present(row);
  }

  /** Sets the operator's switch. Requests notice within half a minute (API keys are cached), calls at once. */
  async setBillingActive(id: string, isActive: boolean): Promise<void> {
    await store.updateBilling(this.#database, id, isActive);
  }

  /** Deletes expired sessions and verifications; returns their number. */
  async deleteExpiredIdentities(now: Date): Promise<number> {
    return await store.deleteExpired(this.#database, now);
  }
}

function present({ limits, ...row }: store.OrganizationRow): Organization {
  return { ...row, limits: limitsOf(limits) };
}
