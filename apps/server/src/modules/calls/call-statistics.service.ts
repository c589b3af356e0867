import type { CallDurations, CallsOfDay, CallsOfEndReason, TurnPercentiles } from "@parley/contract";
import type { Database } from "../../platform/database/database.ts";
import * as store from "./call-statistics.store.ts";

export type { CallSelection } from "./call-statistics.store.ts";

/**
 * Counts over the calls of an organization, computed from the calls on each request: no totals are stored.
 */
export class CallStatistics {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async countActive(organizationId: string, properties: store.CallProperties): Promise<number> {
    return await store.countActive(this.#database, organizationId, properties);
  }

  /** Returns every day that the range touches, in order. `timezone` must have passed `isTimezone`. */
  async tallyDays(
    organizationId: string,
    selection: store.CallSelection,
    timezone: string,
  ): Promise<CallsOfDay[]> {
    return await store.tallyDays(this.#database, organizationId, selection, timezone);
  }

  async measureDurations(organizationId: string, selection: store.CallSelection): Promise<CallDurations> {
    return await store.measureDurations(this.#database, organizationId, selection);
  }

  async tallyEndReasons(organizationId: string, selection: store.CallSelection): Promise<CallsOfEndReason[]> {
    return await store.tallyEndReasons(this.#database, organizationId, selection);
  }

  async measureLatency(organizationId: string, selection: store.CallSelection): Promise<TurnPercentiles> {
    return await store.measureLatency(this.#database, organizationId, selection);
  }
}
