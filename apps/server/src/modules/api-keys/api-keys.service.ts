import type { ApiKey, ApiKeyRole, ApiKeyUpdate, PageQuery } from "@parley/contract";
import type { Clock } from "../../platform/clock.ts";
import { AppError, invalidBody } from "../../platform/app-error.ts";
import type { Database } from "../../platform/database/database.ts";
import { toPage } from "../../platform/database/page.ts";
import { ExpiringCache } from "../../platform/expiring-cache.ts";
import type { Principal } from "../../platform/http/principal.ts";
import type { OrganizationsService } from "../organizations/organizations.service.ts";
import { generateKey, hashKey } from "./api-keys.rules.ts";
import * as store from "./api-keys.store.ts";
import { KeyLookup } from "./key-lookup.ts";

/** Precision of `lastUsedAt`. */
const TOUCH_INTERVAL_MS = 60_000;
/** Slug of the organization that a node creates by itself. */
const FIRST_SLUG = "bootstrap";
const FIRST_NAME = "My organization";

const MAX_CACHED = 10_000;

interface KnownKey {
  principal: Principal;
  expiresAt: Date | null;
}

export class ApiKeysService {
  readonly #database: Database;
  readonly #organizations: OrganizationsService;
  readonly #clock: Clock;
  readonly #lookup: KeyLookup;
  readonly #known = new ExpiringCache<KnownKey>({ lifetimeMs: 30_000, maxSize: MAX_CACHED });
  /** Separate from the valid keys, so that guesses do not displace keys in use. */
  readonly #unknown = new ExpiringCache<true>({ lifetimeMs: 10_000, maxSize: MAX_CACHED });

  constructor(database: Database, organizations: OrganizationsService, clock: Clock) {
    this.#database = database;
    this.#organizations = organizations;
    this.#clock = clock;
    this.#lookup = new KeyLookup(database);
  }

  /** Principal of the key; `undefined` if the key is unknown, revoked or expired. */
  async authenticate(key: string): Promise<Principal | undefined> {
    const hash = hashKey(key);
    const now = this.#clock.now();
    if (this.#unknown.get(hash, now.getTime())) return undefined;
    const known = this.#known.get(hash, now.getTime()) ?? (await this.#load(hash, now));
    if (known === undefined || (known.expiresAt !== null && known.expiresAt <= now)) return undefined;
    return known.principal;
  }

  /** Only this answer contains the key. */
  async create(
    organizationId: string,
    name: string,
    expiresAt: string | null,
    { role = "admin", createdBy = null }: { role?: ApiKeyRole | undefined; createdBy?: string | null } = {},
  ): Promise<ApiKey & { key: string }> {
    const key = generateKey();
    const row = await store.insertKey(this.#database, {
      organizationId,
      name,
      hash: hashKey(key),
      last4: key.slice(-4),
      role,
      createdBy,
      expiresAt: this.#toExpiry(expiresAt),
    });
    return { ...present(row), key };
  }

  async list(organizationId: string, query: PageQuery) {
    return toPage(query, await store.listKeys(this.#database, organizationId, query), present);
  }

  /** Absent fields are unchanged. Throws `not_found` and `invalid_body`. */
  async update(
    organizationId: string,
    id: string,
    { name, role, expiresAt }: Pick<ApiKeyUpdate, "name" | "role" | "expiresAt">,
  ): Promise<ApiKey> {
    const row = await this.#database.transaction(async (transaction) => {
      const before = await store.lockKey(transaction, organizationId, id);
      if (before === undefined) throw new AppError("not_found");
      // What GET gave can be sent back, also if the key has expired.
      const isExpiryChanged =
        expiresAt !== undefined && expiresAt !== (before.expiresAt?.toISOString() ?? null);
      return await store.updateKey(transaction, id, {
        name: name ?? before.name,
        role: role ?? before.role,
        ...(isExpiryChanged && { expiresAt: this.#toExpiry(expiresAt) }),
      });
    });
    this.#known.delete(row.hash);
    return present(row);
  }

  async revoke(organizationId: string, id: string): Promise<void> {
    const row = await store.deleteKey(this.#database, organizationId, id);
    if (row === undefined) throw new AppError("not_found");
    this.#known.delete(row.hash);
  }

  /**
   * Ensures that an organization with this key exists (`PARLEY_BOOTSTRAP_API_KEY`) and returns its id. Keys of earlier
   * starts stay valid until they are revoked; a revoked key is not created again.
   */
  async ensureBootstrapOrganization(key: string): Promise<string> {
    const hash = hashKey(key);
    this.#unknown.delete(hash);
    return await this.#database.transaction(async (transaction) => {
      const existing = await store.findKeyByHash(transaction, hash);
      if (existing !== undefined) return existing.organizationId;
      const { id } = await this.#organizations.ensure(transaction, FIRST_SLUG, FIRST_NAME);
      await store.insertBootstrapKey(transaction, {
        organizationId: id,
        name: "bootstrap",
        hash,
        last4: key.slice(-4),
      });
      return id;
    });
  }

  /**
   * Creates the first organization of an empty database with a key. It is the organization that
   * `ensureBootstrapOrganization` would create, so that a bootstrap key set later opens the same one. `undefined` if an
   * organization exists.
   */
  async createFirstOrganization(): Promise<{ organizationId: string; key: string } | undefined> {
    return await this.#database.transaction(async (transaction) => {
      const organization = await this.#organizations.createFirst(transaction, FIRST_SLUG, FIRST_NAME);
      if (organization === undefined) return undefined;
      const key = generateKey();
      await store.insertKey(transaction, {
        organizationId: organization.id,
        name: "first start",
        hash: hashKey(key),
        last4: key.slice(-4),
      });
      return { organizationId: organization.id, key };
    });
  }

  #toExpiry(expiresAt: string | null): Date | null {
    const expiry = expiresAt === null ? null : new Date(expiresAt);
    if (expiry !== null && expiry <= this.#clock.now())
      throw invalidBody("expiresAt", "must be in the future");
    return expiry;
  }

  async #load(hash: string, now: Date) {
    const row = await this.#lookup.find(hash);
    if (row === undefined) {
      this.#unknown.set(hash, true, now.getTime());
      return undefined;
    }
    const organization = await this.#organizations.find(row.organizationId);
    if (organization === undefined) return undefined;
    await store.touchKey(this.#database, row.id, now, new Date(now.getTime() - TOUCH_INTERVAL_MS));
    const principal: Principal = {
      organizationId: organization.id,
      isBillingActive: organization.isBillingActive,
      role: row.role,
      actor: { type: "api_key", name: row.name },
      actorId: row.id,
    };
    const known = { principal, expiresAt: row.expiresAt };
    this.#known.set(hash, known, now.getTime());
    return known;
  }
}

function present(row: store.ApiKeyRow): ApiKey {
  return {
    id: row.id,
    name: row.name,
    last4: row.last4,
    role: row.role,
    createdBy: row.createdBy,
    expiresAt: row.expiresAt?.toISOString() ?? null,
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
  };
}
