import { randomUUID } from "node:crypto";
import type { LimitOverrides, OrganizationLimits, PageQuery } from "@parley/contract";
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
  /** ISO 3166 code. `null` until the operator sets it or the first outbound call is placed. */
  homeCountry: string | null;
  /** ISO 3166 codes of countries that may be called. `null`: the home country. */
  allowedCountries: string[] | null;
  isPremiumRateAllowed: boolean;
  limits: OrganizationLimits;
  limitOverrides: LimitOverrides;
  createdAt: Date;
}

export interface OrganizationQuery extends PageQuery {
  /** Part of the name, in any case. */
  search?: string;
}

/** Fields that the operator sets. */
export interface OperatorUpdate {
  name?: string;
  isBillingActive?: boolean;
  homeCountry?: string | null;
  allowedCountries?: string[] | null;
  isPremiumRateAllowed?: boolean;
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

  async count(): Promise<number> {
    return await store.countOrganizations(this.#database);
  }

  async list(query: OrganizationQuery) {
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

  /** Without a name, returns the organization unchanged. Throws `not_found`. */
  async rename(id: string, name: string | undefined): Promise<Organization> {
    if (name !== undefined) await store.updateOrganization(this.#database, id, { name });
    return await this.get(id);
  }

  /** Stores the home country unless there is one, and returns the stored one. */
  async settleHomeCountry(id: string, country: string): Promise<string> {
    await store.insertHomeCountry(this.#database, id, country);
    return (await this.get(id)).homeCountry ?? country;
  }

  /** Returns the organization of this slug, and creates it if it does not exist. */
  async ensure(queries: Queries, slug: string, name: string): Promise<Organization> {
    return present(await store.ensureOrganization(queries, slug, name));
  }

  /** `undefined` if there is no organization. */
  async findOldest(): Promise<Organization | undefined> {
    const row = await store.findOldestOrganization(this.#database);
    return row && present(row);
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
  return { ...row, limits: limitsOf(limits), limitOverrides: limits };
}
