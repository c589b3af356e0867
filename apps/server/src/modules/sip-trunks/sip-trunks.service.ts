import { randomUUID } from "node:crypto";
import type { PageQuery, SipTrunk, SipTrunkCreate, SipTrunkUpdate } from "@parley/contract";
import { canLocate, type NextHop } from "@parley/sip";
import { AppError, invalidBody } from "../../platform/app-error.ts";
import type { Database, Queries } from "../../platform/database/database.ts";
import { toPage } from "../../platform/database/page.ts";
import type { Encryption } from "../../platform/encryption/encryption.ts";
import { isAddressOrBlock, nextHopOf } from "./sip-trunks.rules.ts";
import * as store from "./sip-trunks.store.ts";

const RESOLVE_DEADLINE_MS = 3_000;

export interface SipCredentials {
  username: string;
  password: string;
}

export class SipTrunksService {
  readonly #database: Database;
  readonly #encryption: Encryption;

  constructor(database: Database, encryption: Encryption) {
    this.#database = database;
    this.#encryption = encryption;
  }

  async create(organizationId: string, { friendlyName, ...change }: SipTrunkCreate): Promise<SipTrunk> {
    await requireUsableAddresses(change);
    const id = randomUUID();
    const trunk = { id, organizationId, friendlyName, ...this.#toColumns(id, change) };
    requireCredentials(trunk);
    return present(await store.insertTrunk(this.#database, trunk));
  }

  async get(organizationId: string, id: string): Promise<SipTrunk> {
    const row = await store.findTrunk(this.#database, organizationId, id);
    if (row === undefined) throw new AppError("not_found");
    return present(row);
  }

  async list(organizationId: string, query: PageQuery) {
    return toPage(query, await store.listTrunks(this.#database, organizationId, query), present);
  }

  async update(
    organizationId: string,
    id: string,
    { friendlyName, ...change }: SipTrunkUpdate,
  ): Promise<SipTrunk> {
    await requireUsableAddresses(change);
    return await this.#database.transaction(async (transaction) => {
      const row = await store.lockTrunk(transaction, organizationId, id, "update");
      if (row === undefined) throw new AppError("not_found");
      const columns = {
        ...(friendlyName === undefined ? {} : { friendlyName }),
        ...this.#toColumns(id, change),
      };
      requireCredentials({ ...row, ...columns });
      return present(await store.updateTrunk(transaction, id, { ...columns, updatedAt: new Date() }));
    });
  }

  /** `release` takes the trunk out of whatever names it, in the deletion's transaction. */
  async delete(
    organizationId: string,
    id: string,
    release: (transaction: Queries) => Promise<void>,
  ): Promise<void> {
    await this.#database.transaction(async (transaction) => {
      const row = await store.lockTrunk(transaction, organizationId, id, "update");
      if (row === undefined) throw new AppError("not_found");
      await release(transaction);
      await store.deleteTrunk(transaction, id);
    });
  }

  /** Whether the trunk exists, and then stays until the transaction ends. */
  async hold(transaction: Queries, organizationId: string, id: string): Promise<boolean> {
    return (await store.lockTrunk(transaction, organizationId, id, "key share")) !== undefined;
  }

  async find(organizationId: string, id: string): Promise<SipTrunk | undefined> {
    const row = await store.findTrunk(this.#database, organizationId, id);
    return row === undefined ? undefined : present(row);
  }

  /** Names of those of the ids that exist. */
  async findNames(organizationId: string, ids: readonly string[]): Promise<Map<string, string>> {
    const rows = await store.findTrunkNames(this.#database, organizationId, ids);
    return new Map(rows.map(({ id, friendlyName }) => [id, friendlyName]));
  }

  /** For digest authentication in both directions; undefined where the trunk has none. */
  async findCredentials(organizationId: string, id: string): Promise<SipCredentials | undefined> {
    const row = await store.findTrunk(this.#database, organizationId, id);
    if (row === undefined || row.username === null || row.encryptedPassword === null) return undefined;
    return {
      username: row.username,
      password: this.#encryption.decrypt(row.encryptedPassword, contextOf(id)),
    };
  }

  /** What is absent is left out; null becomes the default. */
  #toColumns(id: string, change: Omit<SipTrunkCreate, "friendlyName">): Partial<store.SipTrunkInsert> {
    const { proxyAddress, transport, allowedAddresses, username, password, isInboundAuthenticated } = change;
    return {
      ...(proxyAddress === undefined ? {} : { proxyAddress }),
      ...(transport === undefined ? {} : { transport }),
      ...(allowedAddresses === undefined ? {} : { allowedAddresses: allowedAddresses ?? [] }),
      ...(username === undefined ? {} : { username }),
      ...(password === undefined ? {} : { encryptedPassword: this.#encryptPassword(id, password) }),
      ...(isInboundAuthenticated === undefined
        ? {}
        : { isInboundAuthenticated: isInboundAuthenticated ?? false }),
    };
  }

  #encryptPassword(id: string, password: string | null): string | null {
    return password === null ? null : this.#encryption.encrypt(password, contextOf(id));
  }
}

const contextOf = (id: string): string => `sip_trunks/${id}/password`;

/** The spec, section 9: a proxy that is no resolvable host name or IP address is refused. */
async function requireUsableAddresses(change: Omit<SipTrunkCreate, "friendlyName">): Promise<void> {
  for (const [index, entry] of (change.allowedAddresses ?? []).entries()) {
    if (!isAddressOrBlock(entry))
      throw invalidBody(`allowedAddresses.${index}`, "must be an IP address or a CIDR block");
  }
  if (typeof change.proxyAddress !== "string") return;
  const proxy = nextHopOf({ proxyAddress: change.proxyAddress, transport: change.transport ?? null });
  if (proxy === undefined)
    throw invalidBody("proxyAddress", "must be a host name or IP address, with an optional port");
  if (!(await canResolve(proxy))) throw invalidBody("proxyAddress", "does not resolve to an address");
}

async function canResolve(proxy: NextHop): Promise<boolean> {
  const deadline = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => deadline.resolve(false), RESOLVE_DEADLINE_MS);
  try {
    return await Promise.race([canLocate(proxy), deadline.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function requireCredentials(trunk: Partial<store.SipTrunkInsert>): void {
  if (trunk.isInboundAuthenticated !== true) return;
  if (typeof trunk.username === "string" && typeof trunk.encryptedPassword === "string") return;
  throw invalidBody("isInboundAuthenticated", "needs username and password");
}

function present(row: store.SipTrunkRow): SipTrunk {
  return {
    id: row.id,
    friendlyName: row.friendlyName,
    proxyAddress: row.proxyAddress,
    transport: row.transport,
    allowedAddresses: row.allowedAddresses,
    username: row.username,
    isInboundAuthenticated: row.isInboundAuthenticated,
    hasPassword: row.encryptedPassword !== null,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
