import type { Clock } from "../../../platform/clock.ts";
import type { Database, Queries } from "../../../platform/database/database.ts";
import { isInJointTransaction } from "../../../platform/database/joint-transaction.ts";
import { ExpiringCache } from "../../../platform/expiring-cache.ts";
import type { AgentDocument } from "../agent-document.rules.ts";
import type { AgentWriter } from "../agent-writer.ts";
import { findVersion } from "../agents.store.ts";

/** Bounds the time in which secrets of tools stay in memory. */
const CACHED_MS = 60_000;
/** Documents may have a megabyte; most have a few kilobytes. */
const MAX_CACHED = 100;

export interface SnapshotName {
  organizationId: string;
  agentId: string;
  revision: number;
}

/** The snapshots of versions, decrypted. They never change once they are committed. Readers must not change them either. */
export class AgentSnapshots {
  readonly #database: Database;
  readonly #writer: Pick<AgentWriter, "openSnapshot">;
  readonly #clock: Clock;
  readonly #cache = new ExpiringCache<AgentDocument>({ lifetimeMs: CACHED_MS, maxSize: MAX_CACHED });

  constructor(database: Database, writer: Pick<AgentWriter, "openSnapshot">, clock: Clock) {
    this.#database = database;
    this.#writer = writer;
    this.#clock = clock;
  }

  /** Reads in the caller's transaction, which may have written the version. `undefined` if there is no such version. */
  async read(
    queries: Queries,
    { organizationId, agentId, revision }: SnapshotName,
  ): Promise<AgentDocument | undefined> {
    const version = await findVersion(queries, organizationId, agentId, revision);
    return version && this.#writer.openSnapshot(version);
  }

  /** `undefined` if there is no such version. */
  async find(name: SnapshotName): Promise<AgentDocument | undefined> {
    const { organizationId, agentId, revision } = name;
    const key = `${organizationId}/${agentId}/${revision}`;
    const nowMs = this.#clock.now().getTime();
    const known = this.#cache.get(key, nowMs);
    if (known !== undefined) return known;
    const snapshot = await this.read(this.#database, name);
    // A version of a joint transaction may yet be rolled back.
    if (snapshot !== undefined && !isInJointTransaction()) this.#cache.set(key, snapshot, nowMs);
    return snapshot;
  }
}
