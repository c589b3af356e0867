import type { Clock } from "../clock.ts";

/** The surroundings of a transaction's state machine. */
export interface TransactionEnvironment {
  clock: Clock;
  isReliable: boolean;
  /** Sends a message to the destination of this transaction. */
  send(data: Buffer): void;
  /** Called once, when the state machine reaches Terminated. */
  onTerminated(): void;
}
