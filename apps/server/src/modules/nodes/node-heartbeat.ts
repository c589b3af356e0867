import { setTimeout as sleep } from "node:timers/promises";
import { systemClock } from "@parley/sip";
import type { Logger } from "pino";
import type { Database, Queries } from "../../platform/database/database.ts";
import type { Clock } from "../../platform/clock.ts";
import { inJointTransaction } from "../../platform/database/joint-transaction.ts";
import type { CallsService } from "../calls/calls.service.ts";
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

/** Where other nodes reach this one. */
export interface NodeAddresses {
  httpAddress: string;
  sipAddress: string;
}

export interface NodeHeartbeatOptions {
  nodeId: string;
  /** Its own connection: what starves requests of theirs must not make the other nodes close this one's calls. */
  database: Database;
  clock: Clock & { follow: (database: Database) => Promise<void> };
  calls: Pick<CallsService, "closeOrphans" | "closeAbandoned">;
  load: () => NodeLoad;
  /** Of the calls that this node holds, and of those whose end it still writes down. */
  activeCallIds: () => readonly string[];
  /** Called in the transaction in which this node cleans up after lost nodes. */
  onSweep: (transaction: Queries, now: Date) => Promise<void>;
  /** Others took this node for lost and closed its calls: those that are closed must end. */
  onLost: () => Promise<void>;
  logger: Logger;
  /** Of this node's own, in milliseconds. */
  monotonicMs?: () => number;
}

/** After a beat that failed the next one comes sooner: calls are refused until then. */
const RETRY_INTERVAL_MS = 500;
/** A database that takes longer to answer is as good as none. */
const ANSWER_DEADLINE_MS = 2_000;
/** Longer than it takes from a call's record until a node holds the call. */
const ABANDONED_AFTER_MS = 60_000;

/**
 * Tells the other nodes that this one lives and what room it has, and closes the calls of those that fell silent. Notices
 * on the way whether the database answers.
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
   * Rejects, with a message for the operator, where another node takes calls on this database. One that was killed just now
   * looks alive for a while: it is waited for whether it beats.
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

  /** Beats from now on; rejects where the first beat fails. */
  async start(addresses: NodeAddresses): Promise<void> {
    await this.#write(addresses);
    this.#running = this.#run(addresses);
  }

  /** By the last beat, or one that is overdue. */
  get isDatabaseAnswering(): boolean {
    return this.#isAnswering;
  }

  /** The other nodes need not find out by themselves that this one is gone. Idempotent. */
  async close(): Promise<void> {
    if (this.#closed.signal.aborted) return await this.#running;
    this.#closed.abort();
    await this.#running;
    const { database, nodeId, logger } = this.#options;
    await store.deleteNode(database, nodeId).catch((error: unknown) => {
      logger.warn({ err: error }, "removing the node from the database failed");
    });
  }

  /** Once: follows the clock, tells of this node, and looks after the others. */
  async beat(addresses: NodeAddresses): Promise<void> {
    const { clock, database, logger } = this.#options;
    await clock.follow(database);
    // Taken before the beat is written: a stall of this process between the two judges neither others nor this node.
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

  /** A database that went away while a call was given to another node leaves one that nobody holds. */
  async #closeAbandoned(): Promise<void> {
    const { nodeId, database, clock, calls, activeCallIds, logger } = this.#options;
    const now = clock.now();
    const begunBefore = new Date(now.getTime() - ABANDONED_AFTER_MS);
    const closed = await inJointTransaction(
      database,
      async () => await calls.closeAbandoned(nodeId, activeCallIds(), begunBefore, now),
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
    const { callsHeld, freePlaces } = current;
    return await store.writeBeat(database, {
      id: nodeId,
      ...addresses,
      state: stateOf(current),
      callsHeld,
      freePlaces,
      startedAt: this.#startedAt,
      beatAt: clock.now(),
    });
  }

  /**
   * A node that beats again while it is judged waits until all of it is done, and then finds that it was. A call that has
   * just begun is left alone: its node may have been judged before it began, and will tell of itself.
   */
  async #sweep(now: Date): Promise<void> {
    const { database, calls, logger } = this.#options;
    const silentSince = new Date(now.getTime() - SILENCE_LIMIT_MS);
    await inJointTransaction(database, async (transaction) => {
      if (!(await store.takeSweepLock(transaction))) return;
      const lost = await store.deleteSilentNodes(transaction, silentSince);
      const closed = await calls.closeOrphans(await store.listNodeIds(transaction), now, silentSince);
      if (lost.length > 0 || closed > 0) logger.warn({ nodes: lost, calls: closed }, "nodes lost");
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
