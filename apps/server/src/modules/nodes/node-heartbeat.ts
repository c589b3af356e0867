import { availableParallelism, loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { systemClock } from "@parley/sip";
import type { Logger } from "pino";
import type { Database, Queries } from "../../platform/database/database.ts";
import type { Clock } from "../../platform/clock.ts";
import { inJointTransaction } from "../../platform/database/joint-transaction.ts";
import { findVersion } from "../../platform/version.ts";
import type { LostCalls } from "../calls/lost-calls.ts";
import {
  BEAT_INTERVAL_MS,
  type BeatSeries,
  mayJudge,
  type NodeLoad,
  SILENCE_LIMIT_MS,
  stateOf,
  withBeat,
} from "./nodes.rules.ts";
import * as store from "./nodes.store.ts";

/** Addresses of this node for other nodes. */
export interface NodeAddresses {
  httpAddress: string;
  sipAddress: string;
}

export interface NodeHeartbeatOptions {
  nodeId: string;
  /** A connection of its own: if requests exhaust the pool, other nodes must not close this node's calls. */
  database: Database;
  clock: Clock & { follow: (database: Database) => Promise<void> };
  lostCalls: Pick<LostCalls, "closeOrphans" | "closeAbandoned">;
  load: () => NodeLoad;
  /** Ids of this node's active calls, including those whose end is still being written. */
  activeCallIds: () => readonly string[];
  /** Called in the transaction in which this node cleans up after lost nodes. */
  onSweep: (transaction: Queries, now: Date) => Promise<void>;
  /** Other nodes have closed this node's calls because they took it for lost: the closed calls must end. */
  onLost: () => Promise<void>;
  logger: Logger;
  /** This node's monotonic clock, in milliseconds. */
  monotonicMs?: () => number;
}

/** Shorter than the beat interval, because calls are refused until the next successful beat. */
const RETRY_INTERVAL_MS = 500;
/** A database that takes longer to answer counts as unreachable. */
const ANSWER_DEADLINE_MS = 2_000;
/** Longer than the time from a call's record until a node runs the call. */
const ABANDONED_AFTER_MS = 60_000;

/**
 * Reports to other nodes that this node is alive and its free capacity, and closes the calls of lost nodes.
 * Detects whether the database answers.
 */
export class NodeHeartbeat {
  readonly #options: NodeHeartbeatOptions;
  readonly #startedAt: Date;
  readonly #monotonicMs: () => number;
  readonly #closed = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #series: BeatSeries | undefined;
  #isAnswering = true;

  constructor(options: NodeHeartbeatOptions) {
    this.#options = options;
    this.#startedAt = options.clock.now();
    this.#monotonicMs = options.monotonicMs ?? performance.now.bind(performance);
  }

  /**
   * Rejects, with a message for the operator, if another node takes calls on this database. A node that was
   * killed just now looks alive for a while: waits until it beats or counts as lost.
   */
  async requireAlone(): Promise<void> {
    const { database, clock } = this.#options;
    const list = async (): Promise<Map<string, number>> => {
      const silentSince = new Date(clock.now().getTime() - SILENCE_LIMIT_MS);
      const beats = await store.listBeats(database, silentSince);
      return new Map(beats.map(({ id, beatAt }) => [id, beatAt.getTime()]));
    };
    const before = await list();
    for (let others = before; others.size > 0; others = await list()) {
      const living = [...others].find(([id, beatAt]) => beatAt !== before.get(id));
      if (living !== undefined) {
        throw new Error(
          "another node uses this database, and the nodes have no shared storage for recordings: set PARLEY_OBJECT_STORAGE_FOLDER " +
            "to a shared folder and PARLEY_OBJECT_STORAGE_SHARED=true, or set PARLEY_OBJECT_STORAGE_BUCKET",
        );
      }
      await sleep(BEAT_INTERVAL_MS / 2);
    }
  }

  /** Starts the heartbeat. Rejects if the first beat fails. */
  async start(addresses: NodeAddresses): Promise<void> {
    await this.#write(addresses);
    this.#running = this.#run(addresses);
  }

  /** False if the last beat failed or is overdue. */
  get isDatabaseAnswering(): boolean {
    return this.#isAnswering;
  }

  /** Removes this node from the database, so that other nodes do not wait for its silence. Idempotent. */
  async close(): Promise<void> {
    if (this.#closed.signal.aborted) return await this.#running;
    this.#closed.abort();
    await this.#running;
    const { database, nodeId, logger } = this.#options;
    await store.deleteNode(database, nodeId).catch((error: unknown) => {
      logger.warn({ err: error }, "removing the node from the database failed");
    });
  }

  /** One beat: synchronizes the clock, reports this node, and cleans up after the others. */
  async beat(addresses: NodeAddresses): Promise<void> {
    const { clock, database, logger } = this.#options;
    await clock.follow(database);
    // Read before the beat is written, so that a stall of this process in between marks no node as lost.
    const now = clock.now();
    const wasForgotten = await this.#write(addresses);
    this.#series = withBeat(this.#series, this.#monotonicMs());
    if (wasForgotten) {
      logger.warn("this node sent no heartbeat for so long that other nodes closed its calls");
      await this.#options.onLost();
    }
    if (!mayJudge(this.#series)) return;
    await this.#closeAbandoned();
    await this.#sweep(now);
  }

  /** Closes calls that no node runs, left by a database outage while they were handed over. */
  async #closeAbandoned(): Promise<void> {
    const { nodeId, database, clock, lostCalls, activeCallIds, logger } = this.#options;
    const now = clock.now();
    const begunBefore = new Date(now.getTime() - ABANDONED_AFTER_MS);
    const closed = await inJointTransaction(
      database,
      async () => await lostCalls.closeAbandoned(nodeId, activeCallIds(), begunBefore, now),
    );
    if (closed > 0) logger.warn({ calls: closed }, "closed calls without a node");
  }

  async #run(addresses: NodeAddresses): Promise<void> {
    const { signal } = this.#closed;
    while (!signal.aborted) {
      const intervalMs = this.#isAnswering ? BEAT_INTERVAL_MS : RETRY_INTERVAL_MS;
      await sleep(intervalMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      const overdue = systemClock.schedule(ANSWER_DEADLINE_MS, () => this.#noteAnswering(false));
      try {
        await this.beat(addresses);
        this.#noteAnswering(true);
      } catch (error) {
        this.#noteAnswering(false, error);
      } finally {
        overdue.cancel();
      }
    }
  }

  async #write(addresses: NodeAddresses): Promise<boolean> {
    const { nodeId, database, clock, load } = this.#options;
    const current = load();
    const { activeCalls, freePlaces } = current;
    return await store.writeBeat(database, {
      id: nodeId,
      ...addresses,
      state: stateOf(current),
      activeCalls,
      freePlaces,
      processorLoad: processorLoad(),
      version: findVersion(),
      startedAt: this.#startedAt,
      beatAt: clock.now(),
    });
  }

  /**
   * Cleans up after silent nodes. If a silent node beats meanwhile, its beat waits for this transaction and
   * then reports that the node was lost. Calls that have just begun are skipped: their node may have counted
   * as lost before they began, and will beat again.
   */
  async #sweep(now: Date): Promise<void> {
    const { database, lostCalls, logger } = this.#options;
    const silentSince = new Date(now.getTime() - SILENCE_LIMIT_MS);
    await inJointTransaction(database, async (transaction) => {
      if (!(await store.takeSweepLock(transaction))) return;
      const lost = await store.deleteSilentNodes(transaction, silentSince);
      const livingNodeIds = await store.listNodeIds(transaction);
      const orphans = { livingNodeIds, lastBeats: lost, now, begunBefore: silentSince };
      const closed = await lostCalls.closeOrphans(orphans);
      if (lost.size > 0 || closed > 0) logger.warn({ nodes: [...lost.keys()], calls: closed }, "nodes lost");
      await this.#options.onSweep(transaction, now);
    });
  }

  #noteAnswering(isAnswering: boolean, error?: unknown): void {
    if (isAnswering === this.#isAnswering) return;
    this.#isAnswering = isAnswering;
    const { logger } = this.#options;
    if (isAnswering) logger.info("the database answers again");
    else
      logger.error(
        { err: error },
        "the database does not answer: calls in progress continue, new calls are rejected",
      );
  }
}

/** Processes that run or wait for a processor, per processor, averaged over the last minute. */
function processorLoad(): number {
  return (loadavg()[0] ?? 0) / availableParallelism();
}
