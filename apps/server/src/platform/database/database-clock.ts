import type { Clock } from "../clock.ts";
import type { Database } from "./database.ts";

/**
 * PostgreSQL's clock. Between two readings it advances by this machine's monotonic time, so that nodes whose own clocks
 * differ agree on leases and deadlines, and adjustments of a system clock have no effect.
 */
export class DatabaseClock implements Clock {
  #epochMs: number;

  private constructor(epochMs: number) {
    this.#epochMs = epochMs;
  }

  static async start(database: Database): Promise<DatabaseClock> {
    const clock = new DatabaseClock(performance.timeOrigin);
    await clock.follow(database);
    return clock;
  }

  now(): Date {
    return new Date(Math.floor(this.#epochMs + performance.now()));
  }

  /** Reads the database's clock again. Assumes that the answer was made halfway between request and reply. */
  async follow({ $client }: Database): Promise<void> {
    const askedAt = performance.now();
    const { rows } = await $client.query<{ ms: string }>(
      "select extract(epoch from clock_timestamp()) * 1000 as ms",
    );
    const answeredAt = performance.now();
    this.#epochMs = Number(rows[0]?.ms) - (askedAt + answeredAt) / 2;
  }
}
