import type { Clock } from "../clock.ts";
import type { Database } from "./database.ts";

/**
 * PostgreSQL's clock, as far as it was read: goes on by this machine's monotonic time in between, so that nodes whose own
 * clocks differ agree on leases and deadlines, and a clock that is set while they run disturbs nobody.
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

  /** Reads the database's clock again. The answer is taken to have been made half-way. */
  async follow({ $client }: Database): Promise<void> {
    const askedAt = performance.now();
    const { rows } = await $client.query<{ ms: string }>(
      "select extract(epoch from clock_timestamp()) * 1000 as ms",
    );
    const answeredAt = performance.now();
    this.#epochMs = Number(rows[0]?.ms) - (askedAt + answeredAt) / 2;
  }
}
