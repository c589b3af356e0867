import type { TranscriptItem, Turn } from "@parley/contract";
import type { Logger } from "pino";
import type { CallAnswer, CallEnd, CallsService } from "./calls.service.ts";

const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 5_000;
/** How long writes are tried again while the database does not take them. */
const GIVE_UP_AFTER_MS = 120_000;
/** Writes of one call that wait; a call has no more to say than this in the time that they are tried for. */
const MAX_WAITING = 1_000;

/** What is asked of the calls' service. */
export type CallWrites = Pick<
  CallsService,
  "markRinging" | "markAnswered" | "setVariables" | "appendItems" | "recordTurns" | "finish"
>;

/**
 * Writes down one call as it goes, each thing after the one before it, without ever holding up the call: a database that
 * does not answer is asked again.
 */
export class CallRecorder {
  readonly #calls: CallWrites;
  readonly #callId: string;
  readonly #logger: Logger;
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;

  constructor(calls: CallWrites, callId: string, logger: Logger) {
    this.#calls = calls;
    this.#callId = callId;
    this.#logger = logger;
  }

  ringing(at: Date): void {
    void this.#enqueue(() => this.#calls.markRinging(this.#callId, at));
  }

  answered(answer: CallAnswer): void {
    void this.#enqueue(() => this.#calls.markAnswered(this.#callId, answer));
  }

  /** What the conversation runs with after all. */
  variables(variables: Record<string, string>): void {
    void this.#enqueue(() => this.#calls.setVariables(this.#callId, variables));
  }

  item(item: TranscriptItem): void {
    void this.#enqueue(() => this.#calls.appendItems(this.#callId, [item], new Date()));
  }

  turn(turn: Turn): void {
    void this.#enqueue(() => this.#calls.recordTurns(this.#callId, [turn]));
  }

  /** Resolves when everything is written, or was given up. Never rejects. */
  async finish(end: CallEnd): Promise<void> {
    await this.#enqueue(async () => void (await this.#calls.finish(this.#callId, end)));
  }

  #enqueue(write: () => Promise<void>): Promise<void> {
    if (this.#waiting >= MAX_WAITING) {
      this.#logger.error(
        { callId: this.#callId },
        "too many writes of a call wait for the database; one is lost",
      );
      return Promise.resolve();
    }
    this.#waiting += 1;
    this.#last = this.#last.then(() => this.#persist(write)).finally(() => (this.#waiting -= 1));
    return this.#last;
  }

  async #persist(write: () => Promise<void>): Promise<void> {
    const giveUpAt = performance.now() + GIVE_UP_AFTER_MS;
    for (let delayMs = FIRST_RETRY_MS; ; delayMs = Math.min(2 * delayMs, LONGEST_RETRY_MS)) {
      try {
        return await write();
      } catch (error) {
        if (performance.now() + delayMs > giveUpAt) {
          this.#logger.error({ err: error, callId: this.#callId }, "a call could not be written down");
          return;
        }
        this.#logger.warn(
          { err: error, callId: this.#callId, delayMs },
          "writing a call down failed; trying again",
        );
        await new Promise((resolve) => setTimeout(resolve, delayMs));
      }
    }
  }
}
