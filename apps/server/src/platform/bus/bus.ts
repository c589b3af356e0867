import type { Queries } from "../database/database.ts";

/** Called with the id of a row. Must not throw; it handles the errors of work that it starts. */
export type BusListener = (rowId: string) => void;

/**
 * Notifies every node that a row changed. A message carries only the row's id, and may be lost while a node is
 * disconnected: listeners read the current rows after a reconnect.
 */
export interface Bus {
  /** Notifies all nodes, including this one, when the transaction of `queries` commits. */
  publish: (queries: Queries, topic: string, rowId: string) => Promise<void>;
  /** Returns a function that unsubscribes. */
  subscribe: (topic: string, listener: BusListener) => () => void;
  /** Called when messages may have been missed, once they arrive again. Returns a function that unsubscribes. */
  onReconnect: (listener: () => void) => () => void;
}
