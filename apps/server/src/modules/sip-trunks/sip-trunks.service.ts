import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { PageQuery, SipTrunk, SipTrunkCreate, SipTrunkHealth, SipTrunkUpdate } from "@parley/contract";
import type { Hop, NextHop } from "@parley/sip";
import type { Clock } from "../../platform/clock.ts";
import { AppError, invalidBody } from "../../platform/app-error.ts";
import type { Author } from "../../platform/author.ts";
import type { Database, Queries } from "../../platform/database/database.ts";
import { toPage } from "../../platform/database/page.ts";
import { TransactionEvent } from "../../platform/database/transaction-event.ts";
import type { Encryption } from "../../platform/encryption/encryption.ts";
import type { EncryptedColumn } from "../../platform/encryption/reencryption.ts";
import type { OrganizationLimitsService } from "../organizations/organization-limits.ts";
import {
  type InboundTrunk,
  isAddressListed,
  namesAddresses,
  nextHopOf,
  partiesOn,
  type TrunkSettings,
} from "./sip-trunks.rules.ts";
import { inboundOf, presentTrunk, settingsOf } from "./sip-trunk-view.rules.ts";
import { locateInTime, ProxyAddresses, requireUsableAddresses } from "./proxy-addresses.ts";
import * as store from "./sip-trunks.store.ts";
import { sipTrunks } from "./sip-trunks.tables.ts";
import { findHealth, findServiceRoutes } from "./trunk-monitors.store.ts";

export interface SipCredentials {
  username: string;
  password: string;
}

/** Data for an outbound INVITE in addition to the called number. */
export interface OutgoingRoute {
  destination: NextHop;
  credentials: SipCredentials | undefined;
  /** URIs of the Route set after `destination` (RFC 3608). */
  serviceRoutes: readonly string[];
  /** Returns the URI of a number or extension behind the trunk. */
  uriOf: (number: string) => string;
  /** URI of the From header: the caller ID at the trunk's domain. */
  from: string;
  isSrtpRequired: boolean;
  /** Resolves the trunk's hosts by DNS; empty if none is found in time. */
  locate: () => Promise<readonly Hop[]>;
}

interface SipTrunksDependencies {
  encryption: Encryption;
  clock: Clock;
  organizationLimits: OrganizationLimitsService;
}

export class SipTrunksService {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #encryption: Encryption;
  readonly #limits: OrganizationLimitsService;
  readonly #changeListeners = new Set<() => void>();
  readonly #proxyAddresses = new ProxyAddresses(async (proxy) => {
    const hops = await locateInTime(proxy);
    return hops.map(({ address }) => address);
  });

  /**
   * Emitted before a trunk is deleted, with the trunk locked: listeners remove their references to it. Unless the
   * deletion is forced, they throw `in_use` if there are any.
   */
  readonly deleting = new TransactionEvent<{ by: Author; sipTrunkId: string; isForced: boolean }>();

  /** Emitted after a change of what a trunk accepts, in the same transaction. */
  readonly inboundChanged = new TransactionEvent<InboundTrunk>();

  constructor(database: Database, { encryption, clock, organizationLimits }: SipTrunksDependencies) {
    this.#database = database;
    this.#clock = clock;
    this.#encryption = encryption;
    this.#limits = organizationLimits;
  }

  async create(organizationId: string, { friendlyName, ...change }: SipTrunkCreate): Promise<SipTrunk> {
    await requireUsableAddresses(change);
    const id = randomUUID();
    const trunk = { id, organizationId, friendlyName, ...this.#toColumns(id, change) };
    requireUsername(trunk, change);
    requireCredentials(trunk);
    const row = await this.#database.transaction(async (transaction) => {
      await this.#limits.requireRoom(transaction, organizationId, { name: "sipTrunks", table: sipTrunks });
      return await store.insertTrunk(transaction, trunk);
    });
    this.#announceChange();
    return presentTrunk(row, undefined);
  }

  async get(organizationId: string, id: string): Promise<SipTrunk> {
    const row = await store.findTrunk(this.#database, organizationId, id);
    if (row === undefined) throw new AppError("not_found");
    return presentTrunk(row, (await this.#health([id])).get(id));
  }

  async list(organizationId: string, query: PageQuery) {
    const found = await store.listTrunks(this.#database, organizationId, query);
    const health = await this.#health(found.rows.map(({ id }) => id));
    return toPage(query, found, (row) => presentTrunk(row, health.get(row.id)));
  }

  async update(
    organizationId: string,
    id: string,
    { friendlyName, ...change }: SipTrunkUpdate,
  ): Promise<SipTrunk> {
    await requireUsableAddresses(change);
    const changed = await this.#database.transaction(async (transaction) => {
      const row = await store.lockTrunk(transaction, organizationId, id, "update");
      if (row === undefined) throw new AppError("not_found");
      const columns = {
        ...(friendlyName === undefined ? {} : { friendlyName }),
        ...this.#toColumns(id, change),
      };
      requireUsername({ ...row, ...columns }, change);
      requireCredentials({ ...row, ...columns });
      const updated = await store.updateTrunk(transaction, id, { ...columns, updatedAt: this.#clock.now() });
      const isInboundChanged = !isDeepStrictEqual(inboundOf(row), inboundOf(updated));
      if (isInboundChanged) await this.inboundChanged.emit(transaction, inboundOf(updated));
      return updated;
    });
    this.#announceChange();
    return presentTrunk(changed, (await this.#health([id])).get(id));
  }

  /** Throws `not_found`, and `in_use` unless it is forced. */
  async delete(by: Author, id: string, { isForced }: { isForced: boolean }): Promise<void> {
    await this.#database.transaction(async (transaction) => {
      const row = await store.lockTrunk(transaction, by.organizationId, id, "update");
      if (row === undefined) throw new AppError("not_found");
      await this.deleting.emit(transaction, { by, sipTrunkId: id, isForced });
      await store.deleteTrunk(transaction, id);
    });
    this.#announceChange();
  }

  /**
   * Calls the listener after each change that this node makes to any trunk. Returns a function that unsubscribes it.
   */
  onChange(listener: () => void): () => void {
    this.#changeListeners.add(listener);
    return () => this.#changeListeners.delete(listener);
  }

  /** Whether the trunk exists. If it does, it cannot be deleted until the transaction ends. */
  async lockForReference(transaction: Queries, organizationId: string, id: string): Promise<boolean> {
    return (await store.lockTrunk(transaction, organizationId, id, "key share")) !== undefined;
  }

  async find(organizationId: string, id: string): Promise<TrunkSettings | undefined> {
    const row = await store.findTrunk(this.#database, organizationId, id);
    return row === undefined ? undefined : settingsOf(row);
  }

  /** Returns the data that decides on inbound calls of these trunks, of any organization, by id. */
  async findInbound(
    ids: readonly string[],
    queries: Queries = this.#database,
  ): Promise<Map<string, InboundTrunk>> {
    const rows = ids.length === 0 ? [] : await store.findTrunks(queries, ids);
    return new Map(rows.map((row) => [row.id, inboundOf(row)]));
  }

  /**
   * Whether a call of this trunk may come from this address: it is in the trunk's list, or one of its proxy's, or the
   * trunk names no address at all.
   */
  async mayCallFrom(trunk: InboundTrunk, address: string): Promise<boolean> {
    const { allowedAddresses } = trunk;
    if (!namesAddresses(trunk) || isAddressListed(allowedAddresses, address)) return true;
    const proxy = nextHopOf(trunk);
    return proxy !== undefined && isAddressListed(await this.#proxyAddresses.find(proxy), address);
  }

  /** Names of those of the ids that exist. */
  async findNames(organizationId: string, ids: readonly string[]): Promise<Map<string, string>> {
    const rows = await store.findTrunkNames(this.#database, organizationId, ids);
    return new Map(rows.map(({ id, friendlyName }) => [id, friendlyName]));
  }

  /** Credentials for digest authentication in both directions; `undefined` if the trunk has none. */
  async findCredentials(organizationId: string, id: string): Promise<SipCredentials | undefined> {
    const row = await store.findTrunk(this.#database, organizationId, id);
    return row === undefined ? undefined : this.credentialsOf(row);
  }

  /** Trunks of all organizations that accept outbound calls, for the operator's checks. */
  async findAllWithProxy(
    limit: number,
  ): Promise<{ trunk: TrunkSettings; credentials: SipCredentials | undefined }[]> {
    const rows = await store.listTrunksWithProxy(this.#database, limit);
    return rows.map((row) => ({ trunk: settingsOf(row), credentials: this.credentialsOf(row) }));
  }

  /** Decrypts the credentials of a database row. */
  credentialsOf(
    row: Pick<store.SipTrunkRow, "id" | "username" | "encryptedPassword">,
  ): SipCredentials | undefined {
    if (row.username === null || row.encryptedPassword === null) return undefined;
    return {
      username: row.username,
      password: this.#encryption.decrypt(row.encryptedPassword, contextOf(row.id)),
    };
  }

  /**
   * Route of outbound calls by this trunk; `undefined` if it does not exist or outbound calls are disabled.
   *
   * @param fromNumber Caller ID in E.164 format.
   */
  async findRoute(
    organizationId: string,
    id: string,
    fromNumber: string,
  ): Promise<OutgoingRoute | undefined> {
    const row = await store.findTrunk(this.#database, organizationId, id);
    const destination = row && nextHopOf(row);
    if (row === undefined || destination === undefined) return undefined;
    const { isSrtpRequired } = row;
    const credentials = this.credentialsOf(row);
    const locate = async (): Promise<readonly Hop[]> => await locateInTime(destination);
    const serviceRoutes = await findServiceRoutes(this.#database, id, this.#clock.now());
    const parties = partiesOn(destination, fromNumber);
    return { ...parties, destination, serviceRoutes, credentials, isSrtpRequired, locate };
  }

  async #health(ids: readonly string[]): Promise<Map<string, SipTrunkHealth>> {
    return await findHealth(this.#database, ids, this.#clock.now());
  }

  #announceChange(): void {
    for (const listener of this.#changeListeners) listener();
  }

  /** Absent fields are omitted; `null` becomes the default. */
  #toColumns(id: string, change: Omit<SipTrunkCreate, "friendlyName">): Partial<store.SipTrunkInsert> {
    const {
      proxyAddress,
      transport,
      allowedAddresses,
      username,
      password,
      isInboundAuthenticated,
      isRegistrationRequired,
      isSrtpRequired,
    } = change;
    return {
      ...(proxyAddress === undefined ? {} : { proxyAddress }),
      ...(transport === undefined ? {} : { transport }),
      ...(allowedAddresses === undefined ? {} : { allowedAddresses: allowedAddresses ?? [] }),
      ...(username === undefined ? {} : { username }),
      ...(password === undefined ? {} : { encryptedPassword: this.#encryptPassword(id, password) }),
      ...(isInboundAuthenticated === undefined
        ? {}
        : { isInboundAuthenticated: isInboundAuthenticated ?? false }),
      ...(isRegistrationRequired === undefined
        ? {}
        : { isRegistrationRequired: isRegistrationRequired ?? false }),
      ...(isSrtpRequired === undefined ? {} : { isSrtpRequired: isSrtpRequired ?? false }),
    };
  }

  #encryptPassword(id: string, password: string | null): string | null {
    return password === null ? null : this.#encryption.encrypt(password, contextOf(id));
  }
}

const contextOf = (id: string): string => `sip_trunks/${id}/password`;

export const encryptedPasswords: EncryptedColumn = {
  table: "sip_trunks",
  column: "encrypted_password",
  type: "text",
  key: ["id"],
  contextOf,
};

/** A password without its user name has no effect. Checked only when one of the two changes. */
function requireUsername(
  { username, encryptedPassword }: Partial<store.SipTrunkInsert>,
  change: Pick<SipTrunkUpdate, "username" | "password">,
): void {
  if (typeof encryptedPassword !== "string" || typeof username === "string") return;
  if (typeof change.password === "string") throw invalidBody("password", "requires username");
  if (change.username === null)
    throw invalidBody("username", "must stay while a password is stored: set password to null as well");
}

function requireCredentials(trunk: Partial<store.SipTrunkInsert>): void {
  const { isInboundAuthenticated, isRegistrationRequired, proxyAddress, username, encryptedPassword } = trunk;
  const hasCredentials = typeof username === "string" && typeof encryptedPassword === "string";
  if (isInboundAuthenticated === true && !hasCredentials)
    throw invalidBody("isInboundAuthenticated", "requires username and password");
  if (isRegistrationRequired === true && !(hasCredentials && typeof proxyAddress === "string"))
    throw invalidBody("isRegistrationRequired", "requires proxyAddress, username and password");
}
