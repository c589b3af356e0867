import {
  type LimitOverrides,
  type LimitsUpdate,
  type OrganizationLimit,
  organizationLimits,
  type OrganizationLimits,
} from "@parley/contract";
import { eq } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import { AppError } from "../../platform/app-error.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database, Queries } from "../../platform/database/database.ts";
import { countRows } from "../../platform/database/page.ts";
import { ExpiringCache } from "../../platform/expiring-cache.ts";
import * as store from "./organizations.store.ts";

/** A change by the operator takes effect on other nodes after this time. */
const CACHED_MS = 10_000;
/**
 * Within this distance of a limit, creations of one organization wait for each other, so that concurrent ones do not
 * exceed it. More than the connections of a node to the database.
 */
const EXACT_WITHIN = 20;

/** Limits that count what an organization has. */
export type CountLimit = Extract<
  OrganizationLimit,
  | "sipTrunks"
  | "agents"
  | "phoneNumbers"
  | "messagingConnections"
  | "voices"
  | "campaigns"
  | "knowledgeBases"
  | "knowledgeDocuments"
  | "testSuites"
>;

/** A table whose rows count toward a limit. */
export type CountedTable = PgTable & { organizationId: PgColumn };

const nouns: Readonly<Record<CountLimit, string>> = {
  sipTrunks: "SIP trunks",
  agents: "agents",
  phoneNumbers: "phone numbers",
  messagingConnections: "messaging connections",
  voices: "voices",
  campaigns: "campaigns",
  knowledgeBases: "knowledge bases",
  knowledgeDocuments: "documents in knowledge bases",
  testSuites: "test suites",
};

export function isNearLimit(has: number, limit: number): boolean {
  return has >= limit - EXACT_WITHIN;
}

/** The limits that apply to an organization with these overrides. */
export function limitsOf(overrides: LimitOverrides): OrganizationLimits {
  const entries = Object.entries(organizationLimits).map(([name, { default: value }]) => [name, value]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the table has every limit
  return { ...(Object.fromEntries(entries) as OrganizationLimits), ...overrides };
}

/** Limits of organizations: the defaults of the contract, and what the operator has set instead. */
export class OrganizationLimitsService {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #cache = new ExpiringCache<OrganizationLimits>({ lifetimeMs: CACHED_MS, maxSize: 10_000 });

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** An organization that does not exist has the defaults. */
  async find(organizationId: string, queries: Queries = this.#database): Promise<OrganizationLimits> {
    const nowMs = this.#clock.now().getTime();
    const known = this.#cache.get(organizationId, nowMs);
    if (known !== undefined) return known;
    const limits = limitsOf((await store.findLimitOverrides(queries, organizationId)) ?? {});
    this.#cache.set(organizationId, limits, nowMs);
    return limits;
  }

  /** Changes the overrides: absent and equal limits stay, null resets one to its default. Other nodes notice within 10 s. */
  async override(transaction: Queries, organizationId: string, change: LimitsUpdate): Promise<void> {
    const row = await store.lockOrganization(transaction, organizationId);
    if (row === undefined) return;
    const before: Readonly<Record<string, number>> = limitsOf(row.limits);
    // A default that is sent back does not become an override.
    const changed = Object.entries(change).filter(([name, value]) => value !== before[name]);
    const limits = Object.entries({ ...row.limits, ...Object.fromEntries(changed) }).filter(
      ([, value]) => value !== null,
    );
    await store.updateLimits(transaction, organizationId, Object.fromEntries(limits));
    this.#cache.delete(organizationId);
  }

  /** Throws `limit_reached` if the organization has no room for another row of this table. */
  async requireRoom(
    transaction: Queries,
    organizationId: string,
    { name, table }: { name: CountLimit; table: CountedTable },
  ): Promise<void> {
    const limit = (await this.find(organizationId, transaction))[name];
    const count = async (): Promise<number> =>
      await countRows(transaction, table, eq(table.organizationId, organizationId));
    let has = await count();
    if (has < limit && isNearLimit(has, limit)) {
      await this.lock(transaction, organizationId);
      has = await count();
    }
    if (has >= limit) throw limitReached(name, limit);
  }

  /** Waits for other transactions that lock the organization, until this one ends. Blocks no other writes. */
  async lock(transaction: Queries, organizationId: string): Promise<void> {
    await store.lockOrganization(transaction, organizationId);
  }
}

function limitReached(name: CountLimit, limit: number): AppError {
  const message = `The organization's limit of ${limit} ${nouns[name]} is reached. Delete one, or ask the operator to raise the limit ${name}.`;
  return new AppError("limit_reached", { message });
}
