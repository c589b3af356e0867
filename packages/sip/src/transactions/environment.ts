import type { Clock } from "../clock.ts";

/** What a transaction's state machine needs of the world round it. */
export interface TransactionEnvironment {
  clock: Clock;
  isReliable: boolean;
  /** Hands a message to the transport, to the one destination of this transaction. */
  send(data: Buffer): void;
  /** The state machine has reached Terminated: forget it. Called once. */
  onTerminated(): void;
}
