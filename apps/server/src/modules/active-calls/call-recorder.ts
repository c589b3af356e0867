import type { TranscriptItem, Turn } from "@parley/contract";
import type { Logger } from "pino";
import type { Clock } from "../../platform/clock.ts";
import { isDatabaseAway } from "../../platform/database/database-away.ts";
import type { CallSpool } from "./call-spool.ts";
import type { CallAnswer, CallEnd } from "../calls/calls.service.ts";
import { type CallWrite, type CallWrites, carryOutWrite } from "../calls/call-write.ts";

const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 5_000;
/** What takes longer to be written is spooled meanwhile. */
const LATE_AFTER_MS = 2_000;
/** How long a write is tried again that the database refuses; one that is away is waited for. */
const GIVE_UP_AFTER_MS = 120_000;
/** Writes of one call that wait; a call has no more to say than this in hours. */
const MAX_WAITING = 1_000;

export interface CallRecorderOptions {
  calls: CallWrites;
  callId: string;
  /** Keeps what the database does not take. */
  spool: CallSpool;
  clock: Clock;
  logger: Logger;
}

/**
 * Writes down one call as it goes, each thing after the one before it, without ever holding up the call: a database that
 * does not answer is asked again, and meanwhile all of it is spooled.
 */
export class CallRecorder {
  readonly #options: CallRecorderOptions;
  /** The first of them is being written. */
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

  /** What the conversation runs with after all. */
  variables(variables: Record<string, string>): void {
    this.#add({ type: "variables", variables });
  }

  item(item: TranscriptItem): void {
    this.#add({ type: "item", item, at: this.#options.clock.now() });
  }

  turn(turn: Turn): void {
    this.#add({ type: "turn", turn });
  }

  /** Resolves when everything is written, or was given up. Never rejects. */
  async finish(end: CallEnd): Promise<void> {
    this.#add({ type: "finish", end });
    await this.#written;
  }

  #add(write: CallWrite): void {
    const { callId, spool, logger } = this.#options;
    if (this.#waiting.length >= MAX_WAITING) {
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
    for (let delayMs = FIRST_RETRY_MS; ; delayMs = Math.min(2 * delayMs, LONGEST_RETRY_MS)) {
      // A database that is frozen refuses nothing.
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
