import type { UserAgent } from "@parley/sip";
import type { Logger } from "pino";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import type { SipTrunksService } from "./sip-trunks.service.ts";
import type { SipTrunkRow } from "./sip-trunks.store.ts";
import { TrunkMonitor } from "./trunk-monitor.ts";
import * as store from "./trunk-monitors.store.ts";

export interface TrunkMonitorPoolOptions {
  nodeId: string;
  database: Database;
  sipTrunks: SipTrunksService;
  agent: UserAgent;
  logger: Logger;
  clock: Clock;
}

interface LeasedTrunk {
  watch: TrunkMonitor;
  leaseUntil: Date;
  /** `null` if the database is up to date. */
  unwritten: store.SeenTrunk | null;
}

/** Another node takes over after this time from a node that crashed. */
const LEASE_MS = 30_000;
/** Leaves time for one more poll and for one that the database does not answer. */
const RENEW_BEFORE_MS = 15_000;
/** Interval at which changes made by other nodes are noticed. */
const POLL_MS = 5_000;
/** Delay after a change made by this node: changes come in bursts, and before their transaction commits. */
const SETTLE_MS = 200;
const CLOSE_DEADLINE_MS = 2_000;

/**
 * Monitors the trunks that no other node monitors: sends OPTIONS and registers as the trunk's settings require, until
 * the trunk is deleted or changed. A lease ensures that one node at a time monitors a trunk.
 */
export class TrunkMonitorPool {
  readonly #options: TrunkMonitorPoolOptions;
  readonly #leased = new Map<string, LeasedTrunk>();
  readonly #stopListening: () => void;
  readonly #running: Promise<void>;
  #cutPause: () => void = () => undefined;
  #cutSettling: () => void = () => undefined;
  #isWoken = false;
  #isClosed = false;
  #closing: Promise<void> | undefined;

  constructor(options: TrunkMonitorPoolOptions) {
    this.#options = options;
    this.#stopListening = options.sipTrunks.onChange(() => this.#wake());
    this.#running = this.#run();
  }

  /** Runs outside the listeners, which only wake it, because they may be called inside a transaction. */
  async #run(): Promise<void> {
    while (!this.#isClosed) {
      await this.#look().catch((error: unknown) => {
        this.#options.logger.warn({ err: error }, "monitoring SIP trunks failed");
      });
      this.#giveUpExpired();
      await this.#pause();
    }
  }

  /** Waits until the next poll, or until shortly after a change, including one during the last poll. */
  async #pause(): Promise<void> {
    await wait(this.#isWoken ? 0 : POLL_MS, (cut) => (this.#cutPause = cut));
    this.#cutPause = () => undefined;
    if (this.#isWoken && !this.#isClosed) await wait(SETTLE_MS, (cut) => (this.#cutSettling = cut));
    this.#isWoken = false;
  }

  #wake(): void {
    this.#isWoken = true;
    this.#cutPause();
    if (this.#isClosed) this.#cutSettling();
  }

  async #look(): Promise<void> {
    const { database } = this.#options;
    const trunks = await store.listReachableTrunks(database);
    if (this.#isClosed) return;
    const isThere = new Set(trunks.map(({ id }) => id));
    for (const id of this.#leased.keys()) if (!isThere.has(id)) this.#drop(id);
    await this.#takeLeases(trunks);
    for (const trunk of trunks) this.#follow(trunk);
    for (const [id, leased] of this.#leased) await this.#write(id, leased);
  }

  async #takeLeases(trunks: readonly SipTrunkRow[]): Promise<void> {
    const { database, nodeId } = this.#options;
    const now = this.#now();
    const leaseUntil = new Date(now.getTime() + LEASE_MS);
    const wanted = trunks.filter(({ id }) => this.#needsLease(id, now));
    const trunkIds = wanted.map(({ id }) => id);
    const taken = await store.takeWatches(database, { trunkIds, nodeId, now, leaseUntil });
    for (const trunk of wanted) {
      const leased = this.#leased.get(trunk.id);
      if (!taken.has(trunk.id)) this.#drop(trunk.id);
      else if (leased !== undefined) leased.leaseUntil = leaseUntil;
      else this.#adopt(trunk, leaseUntil);
    }
  }

  #needsLease(id: string, now: Date): boolean {
    const leased = this.#leased.get(id);
    return leased === undefined || leased.leaseUntil.getTime() - now.getTime() < RENEW_BEFORE_MS;
  }

  #adopt(trunk: SipTrunkRow, leaseUntil: Date): void {
    if (this.#isClosed) return;
    const leased: LeasedTrunk = { leaseUntil, unwritten: null, watch: this.#open(trunk) };
    leased.unwritten = leased.watch.seen;
    this.#leased.set(trunk.id, leased);
  }

  #open(trunk: SipTrunkRow): TrunkMonitor {
    const { agent, sipTrunks, logger } = this.#options;
    return new TrunkMonitor({
      agent,
      trunk,
      credentials: sipTrunks.credentialsOf(trunk),
      now: () => this.#now(),
      onChange: (seen) => {
        logger.info({ sipTrunkId: trunk.id, health: seen.health }, "SIP trunk health changed");
        const leased = this.#leased.get(trunk.id);
        if (leased === undefined) return;
        leased.unwritten = seen;
        this.#wake();
      },
    });
  }

  /** Starts monitoring the trunk, anew if it was changed. */
  #follow(trunk: SipTrunkRow): void {
    const leased = this.#leased.get(trunk.id);
    if (leased === undefined || leased.watch.isFor(trunk)) return;
    void leased.watch.close();
    leased.watch = this.#open(trunk);
    leased.unwritten = leased.watch.seen;
  }

  async #write(id: string, leased: LeasedTrunk): Promise<void> {
    const { unwritten } = leased;
    if (unwritten === null) return;
    await store.writeSeen(this.#options.database, this.#options.nodeId, id, unwritten);
    if (leased.unwritten === unwritten) leased.unwritten = null;
  }

  /** Stops monitors whose lease expired while the database was unavailable: another node may monitor their trunks. */
  #giveUpExpired(): void {
    const now = this.#now();
    for (const [id, { leaseUntil }] of this.#leased) if (leaseUntil <= now) this.#drop(id);
  }

  #drop(id: string): void {
    void this.#leased.get(id)?.watch.close();
    this.#leased.delete(id);
  }

  #now(): Date {
    return this.#options.clock.now();
  }

  /** Unregisters from every trunk within 2 s and releases the leases to other nodes. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#isClosed = true;
    this.#stopListening();
    this.#wake();
    await this.#running;
    const { promise: deadline, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, CLOSE_DEADLINE_MS);
    const closing = Array.from(this.#leased.values(), ({ watch }) => watch.close());
    await Promise.race([Promise.all(closing), deadline]);
    clearTimeout(timer);
    const { database, nodeId, logger } = this.#options;
    await store.releaseWatches(database, nodeId).catch((error: unknown) => {
      logger.warn({ err: error }, "releasing SIP trunk leases failed; they expire by themselves");
    });
    this.#leased.clear();
  }
}

/** Resolves after a time, or as soon as the function passed to `giveCut` is called. */
async function wait(durationMs: number, giveCut: (cut: () => void) => void): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, durationMs);
  giveCut(resolve);
  await promise;
  clearTimeout(timer);
}
