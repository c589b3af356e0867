import type { Queries } from "../database/database.ts";

/** Called with the id of a row. Must not throw; work that it begins is its own to watch. */
export type BusListener = (rowId: string) => void;

/**
 * Tells every node that a row is worth reading. A message carries the row's id and nothing else, and may be lost while a
 * node is not connected: whoever listens reads what is there once it is again.
 */
export interface Bus {
  /** All nodes are told, this one too, when the transaction that `queries` belongs to has been committed. */
  publish: (queries: Queries, topic: string, rowId: string) => Promise<void>;
  /** Returns what ends it. */
  subscribe: (topic: string, listener: BusListener) => () => void;
  /** Called whenever messages may have been missed, once they come again. Returns what ends it. */
  onReconnect: (listener: () => void) => () => void;
}
