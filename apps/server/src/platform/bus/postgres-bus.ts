import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { Client } from "pg";
import type { Logger } from "pino";
import type { Database, Queries } from "../database/database.ts";
import type { Bus, BusListener } from "./bus.ts";

/** One channel for all topics: PostgreSQL notifies every listener of a channel, and messages are few. */
const CHANNEL = "parley";
const CONNECT_DEADLINE_MS = 5_000;
const PROBE_DEADLINE_MS = 5_000;
/** Detects connections whose other end vanished without closing them. */
const CHECK_INTERVAL_MS = 5_000;
const CHECK_DEADLINE_MS = 3_000;
const END_DEADLINE_MS = 1_000;
const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 2_000;

export interface PostgresBusOptions {
  /** Must be a direct connection: LISTEN does not work through a transaction pooler. */
  connectionString: string;
  /** Database that messages are sent through. */
  database: Database;
  logger: Logger;
}

/** Connection whose `ended` promise resolves when it is no longer usable. */
interface Connection {
  ended: Promise<void>;
}

/** Bus on LISTEN and NOTIFY, with a connection of its own that is reopened when it breaks. */
export class PostgresBus implements Bus {
  readonly #options: PostgresBusOptions;
  readonly #listeners = new Map<string, Set<BusListener>>();
  readonly #reconnectListeners = new Set<() => void>();
  readonly #closed = new AbortController();
  #client: Client | undefined;
  #running: Promise<void> = Promise.resolve();

  /** Rejects with a message for the operator if a test message to itself does not arrive. */
  static async start(options: PostgresBusOptions): Promise<PostgresBus> {
    const bus = new PostgresBus(options);
    try {
      const broken = await bus.#connect();
      await bus.#prove();
      bus.#running = bus.#keepConnected(broken);
      return bus;
    } catch (error) {
      await bus.close();
      throw error;
    }
  }

  private constructor(options: PostgresBusOptions) {
    this.#options = options;
  }

  async publish(queries: Queries, topic: string, rowId: string): Promise<void> {
    await queries.execute(sql`select pg_notify(${CHANNEL}, ${`${topic} ${rowId}`})`);
  }

  subscribe(topic: string, listener: BusListener): () => void {
    const listeners = this.#listeners.get(topic) ?? new Set();
    this.#listeners.set(topic, listeners);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(topic) === listeners) this.#listeners.delete(topic);
    };
  }

  onReconnect(listener: () => void): () => void {
    this.#reconnectListeners.add(listener);
    return () => void this.#reconnectListeners.delete(listener);
  }

  /** Idempotent. */
  async close(): Promise<void> {
    this.#closed.abort();
    await endWithin(this.#client);
    await this.#running;
  }

  /** Resolves once the connection listens, with a promise of its end. */
  async #connect(): Promise<Connection> {
    const client = new Client({
      connectionString: this.#options.connectionString,
      connectionTimeoutMillis: CONNECT_DEADLINE_MS,
      query_timeout: CHECK_DEADLINE_MS,
      keepAlive: true,
      application_name: "parley-bus",
    });
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    client.on("error", () => resolve());
    client.on("end", () => resolve());
    client.on("notification", ({ payload }) => this.#receive(payload ?? ""));
    this.#client = client;
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
    } catch (error) {
      await endWithin(client);
      throw error;
    }
    const checks = setInterval(() => void client.query("select 1").catch(() => resolve()), CHECK_INTERVAL_MS);
    void ended.then(() => clearInterval(checks));
    return { ended };
  }

  /** Sends a message from the pool to the listening connection, which also proves that both use the same database. */
  async #prove(): Promise<void> {
    const { promise: returned, resolve } = Promise.withResolvers<void>();
    const probe = randomUUID();
    const stop = this.subscribe("probe", (id) => id === probe && resolve());
    const timer = new AbortController();
    try {
      await this.publish(this.#options.database, "probe", probe);
      const isLost = await Promise.race([
        returned.then(() => false),
        sleep(PROBE_DEADLINE_MS, true, { signal: timer.signal }),
      ]);
      if (!isLost) return;
      throw new Error(
        "a NOTIFY sent through DATABASE_URL was not received: set PARLEY_DATABASE_DIRECT_URL to a connection to the same " +
          "database that bypasses the transaction pooler",
      );
    } finally {
      timer.abort();
      stop();
    }
  }

  async #keepConnected({ ended }: Connection): Promise<void> {
    const { logger } = this.#options;
    for (let connection: Connection | undefined = { ended }; connection !== undefined;) {
      await connection.ended;
      await endWithin(this.#client);
      if (this.#closed.signal.aborted) return;
      logger.warn("lost the connection for messages between nodes; reconnecting");
      connection = await this.#reconnect();
      if (connection === undefined) return;
      logger.info("messages between nodes are received again");
      for (const listener of this.#reconnectListeners) listener();
    }
  }

  /** `undefined` if the bus was closed meanwhile. */
  async #reconnect(): Promise<Connection | undefined> {
    const { signal } = this.#closed;
    for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(2 * delayMs, MAX_DELAY_MS)) {
      await sleep(delayMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return undefined;
      try {
        return await this.#connect();
      } catch {
        // Retried after the delay.
      }
    }
  }

  #receive(payload: string): void {
    const [topic = "", rowId = ""] = payload.split(" ");
    for (const listener of this.#listeners.get(topic) ?? []) listener(rowId);
  }
}

/** Closes the connection with a timeout, because a frozen server does not answer. */
async function endWithin(client: Client | undefined): Promise<void> {
  if (client === undefined) return;
  const timer = new AbortController();
  const { signal } = timer;
  await Promise.race([
    client.end().catch(() => undefined),
    sleep(END_DEADLINE_MS, undefined, { signal }).catch(() => undefined),
  ]);
  timer.abort();
}
