import type { ProviderFailure, TranscriptItem, Turn, Variables } from "@parley/contract";
import type { Logger } from "pino";
import type { Clock } from "../../platform/clock.ts";
import { isDatabaseAway } from "../../platform/database/database-away.ts";
import type { CallSpool } from "./call-spool.ts";
import type { CallAnswer, CallEnd } from "../calls/calls.service.ts";
import { type CallWrite, type CallWrites, carryOutWrite, isDroppable } from "../calls/call-write.ts";

const FIRST_RETRY_MS = 250;
const MAX_RETRY_DELAY_MS = 5_000;
/** If a write takes longer than this, it is spooled meanwhile. */
const LATE_AFTER_MS = 2_000;
/**
 * Retry limit for writes that the database rejects. Writes wait for an unreachable database without a limit.
 */
const GIVE_UP_AFTER_MS = 120_000;
/** Limit of a call's pending writes, beyond which items, turns and failures are dropped. */
const MAX_WAITING = 1_000;

export interface CallRecorderOptions {
  calls: CallWrites;
  callId: string;
  /** Stores writes that the database has not accepted. */
  spool: CallSpool;
  clock: Clock;
  logger: Logger;
}

/**
 * Writes a call's record in order, without delaying the call: failed writes are retried, and spooled
 * meanwhile.
 */
export class CallRecorder {
  readonly #options: CallRecorderOptions;
  /** Pending writes; the first one is in progress. */
  readonly #waiting: CallWrite[] = [];
  #written: Promise<void> = Promise.resolve();
  #isSpooled = false;

  constructor(options: CallRecorderOptions) {
    this.#options = options;
  }

  ringing(at: Date): void {
    this.#add({ type: "ringing", at });
  }

  answered(answer: CallAnswer): void {
    this.#add({ type: "answered", answer });
  }

  /** Records the variables that the conversation runs with after the pre-call webhook. */
  variables(variables: Variables): void {
    this.#add({ type: "variables", variables });
  }

  item(item: TranscriptItem): void {
    this.#add({ type: "item", item, at: this.#options.clock.now() });
  }

  turn(turn: Turn): void {
    this.#add({ type: "turn", turn });
  }

  providerFailure(failure: ProviderFailure): void {
    this.#add({ type: "providerFailure", failure });
  }

  /** Resolves when every write has succeeded or was given up. Never rejects. */
  async finish(end: CallEnd): Promise<void> {
    this.#add({ type: "finish", end });
    await this.#written;
  }

  #add(write: CallWrite): void {
    const { callId, spool, logger } = this.#options;
    if (isDroppable(write) && this.#waiting.length >= MAX_WAITING) {
      logger.error({ callId }, "too many writes of a call are waiting for the database; one was dropped");
      return;
    }
    this.#waiting.push(write);
    if (this.#isSpooled) spool.add(callId, [write]);
    if (this.#waiting.length === 1) this.#written = this.#writeAll();
  }

  async #writeAll(): Promise<void> {
    const { callId, spool } = this.#options;
    for (let write = this.#waiting[0]; write !== undefined; write = this.#waiting[0]) {
      await this.#persist(write);
      this.#waiting.shift();
    }
    if (this.#isSpooled) spool.settle(callId);
    this.#isSpooled = false;
  }

  async #persist(write: CallWrite): Promise<void> {
    const { calls, callId, logger } = this.#options;
    const giveUpAt = performance.now() + GIVE_UP_AFTER_MS;
    for (let delayMs = FIRST_RETRY_MS; ; delayMs = Math.min(2 * delayMs, MAX_RETRY_DELAY_MS)) {
      // A frozen database reports no error.
      const late = setTimeout(() => this.#keep(), LATE_AFTER_MS);
      try {
        return await carryOutWrite(calls, callId, write);
      } catch (error) {
        if (performance.now() + delayMs > giveUpAt && !isDatabaseAway(error)) {
          logger.error({ err: error, callId, write: write.type }, "writing a call record failed; gave up");
          return;
        }
        this.#keep();
        logger.warn({ err: error, callId, delayMs }, "writing a call record failed; retrying");
        await new Promise((resolve) => setTimeout(resolve, delayMs));
      } finally {
        clearTimeout(late);
      }
    }
  }

  #keep(): void {
    if (this.#isSpooled) return;
    this.#isSpooled = true;
    this.#options.spool.add(this.#options.callId, this.#waiting);
  }
}
