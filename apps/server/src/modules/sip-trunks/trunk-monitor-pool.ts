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
  /** Null where what the database holds is what is seen. */
  unwritten: store.SeenTrunk | null;
}

/** A node that ended without a word is replaced after this. */
const LEASE_MS = 30_000;
/** With a poll to spare, and one that the database does not answer. */
const RENEW_BEFORE_MS = 15_000;
/** How soon changes are seen that other nodes make. */
const POLL_MS = 5_000;
/** For changes of this node: they come in rows, and before their transaction has ended. */
const SETTLE_MS = 200;
const CLOSE_DEADLINE_MS = 2_000;

/**
 * Watches over the trunks that no other node watches over: pings them and registers with those that want it, for as
 * long as they are there and as they stand in the database. One node at a time has a trunk, by a lease.
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

  /** Listeners wake it and do not run it: what they are called in may be a transaction. */
  async #run(): Promise<void> {
    while (!this.#isClosed) {
      await this.#look().catch((error: unknown) => {
        this.#options.logger.warn({ err: error }, "monitoring SIP trunks failed");
      });
      this.#giveUpExpired();
      await this.#pause();
    }
  }

  /** Until the next poll, or until shortly after a change, also one during the last look. */
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
    const trunkIds = trunks.map(({ id }) => id).filter((id) => this.#needsLease(id, now));
    const taken = await store.takeWatches(database, { trunkIds, nodeId, now, leaseUntil });
    for (const id of trunkIds) {
      const leased = this.#leased.get(id);
      if (!taken.includes(id)) this.#drop(id);
      else if (leased !== undefined) leased.leaseUntil = leaseUntil;
      else {
        const trunk = trunks.find((each) => each.id === id);
        if (trunk !== undefined) this.#adopt(trunk, leaseUntil);
      }
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

  /** A trunk that was changed is watched anew. */
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

  /** Others may have what the database did not let us keep. */
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

  /** Takes every registration back, within 2 s, and lets other nodes watch. Idempotent. */
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
    await store.releaseWatches(database, nodeId, [...this.#leased.keys()]).catch((error: unknown) => {
      logger.warn({ err: error }, "releasing SIP trunk leases failed; they expire by themselves");
    });
    this.#leased.clear();
  }
}

/** Resolves after a time, or as soon as the function that `giveCut` is given is called. */
async function wait(durationMs: number, giveCut: (cut: () => void) => void): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, durationMs);
  giveCut(resolve);
  await promise;
  clearTimeout(timer);
}
