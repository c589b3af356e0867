import { randomUUID } from "node:crypto";
import type { OrganizationLimits, PageQuery } from "@parley/contract";
import { isSupportedCountry } from "libphonenumber-js/max";
import { AppError, invalidBody } from "../../platform/app-error.ts";
import type { Database, Queries } from "../../platform/database/database.ts";
import { toPage } from "../../platform/database/page.ts";
import { limitsOf } from "./organization-limits.ts";
import * as store from "./organizations.store.ts";

export interface Organization {
  id: string;
  name: string;
  isBillingActive: boolean;
  /** ISO 3166 codes of countries that may be called. `null`: the countries of the organization's own numbers. */
  allowedCountries: string[] | null;
  /** ISO 3166 code; `null`: none. */
  homeCountry: string | null;
  limits: OrganizationLimits;
  createdAt: Date;
}

/** Fields that the operator sets. */
interface OperatorUpdate {
  name?: string;
  isBillingActive?: boolean;
  homeCountry?: string | null;
  allowedCountries?: string[] | null | undefined;
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
    requireCountries({ allowedCountries });
    if (allowedCountries !== undefined)
      await store.updateAllowedCountries(this.#database, id, allowedCountries);
    return await this.get(id);
  }

  async list(query: PageQuery) {
    return toPage(query, await store.listOrganizations(this.#database, query), present);
  }

  /** Creates an organization for the operator. */
  async create(queries: Queries, { name, ...fields }: OperatorUpdate & { name: string }): Promise<string> {
    requireCountries(fields);
    return await store.insertOrganization(queries, { ...fields, name, slug: randomUUID() });
  }

  /** Changes what only the operator may change. Throws `not_found`. */
  async operate(queries: Queries, id: string, change: OperatorUpdate): Promise<void> {
    requireCountries(change);
    if (!(await store.updateOrganization(queries, id, change))) throw new AppError("not_found");
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

function requireCountries({
  allowedCountries,
  homeCountry,
}: Pick<OperatorUpdate, "allowedCountries" | "homeCountry">): void {
  const message = "must be an ISO 3166 country code";
  if (typeof homeCountry === "string" && !isSupportedCountry(homeCountry))
    throw invalidBody("homeCountry", message);
  for (const [index, country] of (allowedCountries ?? []).entries())
    if (!isSupportedCountry(country)) throw invalidBody(`allowedCountries.${index}`, message);
}

function present({ limits, ...row }: store.OrganizationRow): Organization {
  return { ...row, limits: limitsOf(limits) };
}
