import { setTimeout as sleep } from "node:timers/promises";
import { type Clock, systemClock } from "@parley/sip";
import type { Bus } from "../../platform/bus/bus.ts";
import type { Database } from "../../platform/database/database.ts";
import type { InboundTrunk } from "../sip-trunks/sip-trunks.rules.ts";
import type { SipTrunksService } from "../sip-trunks/sip-trunks.service.ts";
import { normalizePhoneNumber } from "../../platform/phone-number.ts";
import { findTrunkIdsOfNumbers } from "./phone-numbers.store.ts";

/** A number with its trunks, each of another organization. */
export interface NumberOnTrunks {
  e164: string;
  trunks: readonly InboundTrunk[];
}

export interface InboundNumbersOptions {
  database: Database;
  sipTrunks: Pick<SipTrunksService, "findInbound">;
  bus: Bus;
  clock?: Clock;
}

/** Published by triggers on the tables of numbers and trunks, so that every write is covered. */
const TOPIC = "inbound_numbers";
/** Bounds the age of entries whose change was missed because the connection was broken. */
const REMEMBERED_MS = 10_000;
/** Limit for known and unknown numbers each, so that a flood of unknown numbers displaces only unknown ones. */
const MAX_REMEMBERED = 10_000;
/** Numbers that arrive in this time share the next lookup. */
const LOOKUP_INTERVAL_MS = 20;
const LOOKUP_DEADLINE_MS = 3_000;
/** Maximum length, longer than any number with all its separators. */
const MAX_DIALED_LENGTH = 64;

/**
 * Finds the trunks by which calls to a number may arrive, so that an INVITE is decided on cheaply. Caches known and unknown
 * numbers for a short time, until the tables change, and runs one lookup at a time: regardless of the number of INVITEs
 * and of numbers, there are at most 50 lookups per second, each with one query, or two if a number is known.
 */
export class InboundNumbers {
  readonly #database: Database;
  readonly #sipTrunks: Pick<SipTrunksService, "findInbound">;
  readonly #clock: Clock;
  readonly #known = new Remembered<NumberOnTrunks>();
  readonly #unknown = new Remembered<true>();
  #waiting = new Map<string, PromiseWithResolvers<NumberOnTrunks | undefined>>();
  #isRunning = false;
  /** Number of table changes so far: the result of a lookup that began before the last change is not cached. */
  #changes = 0;
  #lookups = 0;

  constructor({ database, sipTrunks, bus, clock = systemClock }: InboundNumbersOptions) {
    this.#database = database;
    this.#sipTrunks = sipTrunks;
    this.#clock = clock;
    bus.subscribe(TOPIC, () => this.#forget());
    bus.onReconnect(() => this.#forget());
  }

  /** Number of lookups so far. */
  get lookupCount(): number {
    return this.#lookups;
  }

  /**
   * Those of these numbers that are bound to agents, in order. The numbers are as in SIP, with or without `+`. Rejects if
   * the database does not answer within 3 s.
   */
  async find(dialed: Iterable<string>): Promise<NumberOnTrunks[]> {
    const numbers = await Promise.all(Array.from(dialed, async (text) => await this.#find(text)));
    return numbers.filter((number) => number !== undefined);
  }

  #find(dialed: string): NumberOnTrunks | Promise<NumberOnTrunks | undefined> | undefined {
    if (dialed.length > MAX_DIALED_LENGTH) return undefined;
    const e164 = normalizePhoneNumber(dialed.startsWith("+") ? dialed : `+${dialed}`);
    if (e164 === undefined) return undefined;
    const nowMs = this.#clock.nowMs();
    const known = this.#known.get(e164, nowMs);
    if (known !== undefined || this.#unknown.get(e164, nowMs) === true) return known;
    return this.#ask(e164);
  }

  async #ask(e164: string): Promise<NumberOnTrunks | undefined> {
    let asked = this.#waiting.get(e164);
    if (asked === undefined) {
      asked = Promise.withResolvers();
      // Copies the text, because a slice of a message keeps the whole message in memory.
      this.#waiting.set(Buffer.from(e164).toString(), asked);
    }
    if (!this.#isRunning) void this.#run();
    return await asked.promise;
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.size > 0) {
      const batch = this.#waiting;
      this.#waiting = new Map();
      await this.#answer(batch);
      await sleep(LOOKUP_INTERVAL_MS);
    }
    this.#isRunning = false;
  }

  async #answer(batch: ReadonlyMap<string, PromiseWithResolvers<NumberOnTrunks | undefined>>): Promise<void> {
    const changes = this.#changes;
    try {
      const numbers = await this.#lookUp([...batch.keys()]);
      for (const [e164, { resolve }] of batch) {
        const number = numbers.get(e164);
        if (changes === this.#changes) this.#remember(e164, number);
        resolve(number);
      }
    } catch (error) {
      for (const { reject } of batch.values()) reject(error);
    }
  }

  async #lookUp(e164s: readonly string[]): Promise<ReadonlyMap<string, NumberOnTrunks>> {
    this.#lookups += 1;
    const deadline = Promise.withResolvers<never>();
    const timer = this.#clock.schedule(LOOKUP_DEADLINE_MS, () =>
      deadline.reject(new Error(`the database did not look up numbers within ${LOOKUP_DEADLINE_MS} ms`)),
    );
    try {
      return await Promise.race([this.#findNumbers(e164s), deadline.promise]);
    } finally {
      timer.cancel();
    }
  }

  async #findNumbers(e164s: readonly string[]): Promise<ReadonlyMap<string, NumberOnTrunks>> {
    const ids = await findTrunkIdsOfNumbers(this.#database, e164s);
    const known = await this.#sipTrunks.findInbound([...new Set([...ids.values()].flat())]);
    const numbers = Array.from(ids, ([e164, trunkIds]): NumberOnTrunks => {
      const trunks = trunkIds.map((id) => known.get(id)).filter((trunk) => trunk !== undefined);
      return { e164, trunks };
    });
    return new Map(numbers.map((number) => [number.e164, number]));
  }

  #remember(e164: string, number: NumberOnTrunks | undefined): void {
    const untilMs = this.#clock.nowMs() + REMEMBERED_MS;
    if (number === undefined) this.#unknown.set(e164, true, untilMs);
    else this.#known.set(e164, number, untilMs);
  }

  #forget(): void {
    this.#changes += 1;
    this.#known.clear();
    this.#unknown.clear();
  }
}

/** Bounded map whose entries expire. When it is full, the oldest entry is removed. */
class Remembered<Value> {
  readonly #entries = new Map<string, { value: Value; untilMs: number }>();

  get(key: string, nowMs: number): Value | undefined {
    const entry = this.#entries.get(key);
    return entry !== undefined && nowMs < entry.untilMs ? entry.value : undefined;
  }

  set(key: string, value: Value, untilMs: number): void {
    this.#entries.delete(key);
    this.#entries.set(key, { value, untilMs });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > MAX_REMEMBERED && oldest !== undefined) this.#entries.delete(oldest);
  }

  clear(): void {
    this.#entries.clear();
  }
}
