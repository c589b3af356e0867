import type {
  AuditLogEntry,
  AuditLogQuery,
  OperatorAuditLogEntry,
  OperatorAuditLogQuery,
} from "@parley/contract";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import { toPage } from "../../platform/database/page.ts";
import type { AuditedAction } from "../../platform/http/audit.ts";
import * as store from "./audit-log.store.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

export class AuditLogService {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Stores an action, in the joint transaction if there is one. */
  async record({ actor, ...action }: AuditedAction): Promise<void> {
    const row = { ...action, actorType: actor.type, actorName: actor.name, createdAt: this.#clock.now() };
    await store.insertEntry(this.#database, row);
  }

  async list(organizationId: string, query: AuditLogQuery) {
    return toPage(query, await store.listEntries(this.#database, organizationId, query), present);
  }

  /** What operators did, in all organizations. */
  async listOfOperators(query: OperatorAuditLogQuery) {
    const presentWithOrganization = (row: store.EntryRow): OperatorAuditLogEntry => ({
      ...present(row),
      organizationId: row.organizationId,
    });
    return toPage(query, await store.listOperatorEntries(this.#database, query), presentWithOrganization);
  }

  /** Deletes entries that are older than this. */
  async deleteOlderThan(days: number): Promise<void> {
    await store.deleteBefore(this.#database, new Date(this.#clock.now().getTime() - days * DAY_MS));
  }
}

function present(row: store.EntryRow): AuditLogEntry {
  return {
    id: row.id,
    createdAt: row.createdAt.toISOString(),
    actor: { type: row.actorType, id: row.actorId, name: row.actorName },
    action: row.action,
    targetId: row.targetId,
    detail: row.detail,
    ipAddress: row.ipAddress,
  };
}
