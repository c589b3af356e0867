import type {
  OperatedOrganization,
  OperatedOrganizationChange,
  OperatedOrganizationCreation,
} from "@parley/contract";
import type { Database } from "../../platform/database/database.ts";
import { inJointTransaction } from "../../platform/database/joint-transaction.ts";
import type { ApiKeysService } from "../api-keys/api-keys.service.ts";
import type { OrganizationLimitsService } from "../organizations/organization-limits.ts";
import type {
  Organization,
  OrganizationQuery,
  OrganizationsService,
} from "../organizations/organizations.service.ts";

interface OperatorDependencies {
  apiKeys: ApiKeysService;
  organizations: OrganizationsService;
  organizationLimits: OrganizationLimitsService;
}

const FIRST_KEY_NAME = "first key";

/** Operations on organizations that only the operator of the installation may use. */
export class OperatorService {
  readonly #database: Database;
  readonly #dependencies: OperatorDependencies;

  constructor(database: Database, dependencies: OperatorDependencies) {
    this.#database = database;
    this.#dependencies = dependencies;
  }

  /** Creates an organization with its first API key, which only this answer contains. */
  async create({
    limits = {},
    ...fields
  }: OperatedOrganizationCreation): Promise<OperatedOrganization & { apiKey: string }> {
    const { organizations, organizationLimits, apiKeys } = this.#dependencies;
    const { id, key } = await inJointTransaction(this.#database, async (transaction) => {
      const created = await organizations.create(transaction, fields);
      await organizationLimits.override(transaction, created, limits);
      return { id: created, key: (await apiKeys.create(created, FIRST_KEY_NAME, null)).key };
    });
    return { ...(await this.get(id)), apiKey: key };
  }

  async list(query: OrganizationQuery) {
    const page = await this.#dependencies.organizations.list(query);
    return { ...page, data: page.data.map(present) };
  }

  /** Throws `not_found`. */
  async get(id: string): Promise<OperatedOrganization> {
    return present(await this.#dependencies.organizations.get(id));
  }

  /** Throws `not_found`. */
  async update(
    id: string,
    {
      limits = {},
      id: _id,
      limitOverrides: _limitOverrides,
      createdAt: _createdAt,
      ...change
    }: OperatedOrganizationChange & { id?: unknown; limitOverrides?: unknown; createdAt?: unknown },
  ): Promise<OperatedOrganization> {
    const { organizations, organizationLimits } = this.#dependencies;
    await this.#database.transaction(async (transaction) => {
      await organizations.operate(transaction, id, change);
      await organizationLimits.override(transaction, id, limits);
    });
    return await this.get(id);
  }
}

function present({ createdAt, ...organization }: Organization): OperatedOrganization {
  return { ...organization, createdAt: createdAt.toISOString() };
}
