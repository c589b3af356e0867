import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "pg";
import { type Cluster, openCluster } from "./postgres-cluster.ts";
import {
  connect,
  connectionString,
  findRunningServer,
  type RunningServer,
  type ServerOptions,
  startServer,
  stopServer,
} from "./postgres-server.ts";

const DATABASE = "parley";
/** Advisory lock of the Parley process that uses the data directory, for its lifetime. */
const OWNER_LOCK = 7_264_539;
const START_ATTEMPTS = 3;
/** The delays double: 13 s in all, plus the time of the attempts. */
const RESTART_ATTEMPTS = 7;
const FIRST_RESTART_DELAY_MS = 100;
/** A killed predecessor's connections end as soon as the kernel reports it to the server. */
const OWNER_DEADLINE_MS = 3_000;
const POLL_INTERVAL_MS = 20;

export interface EmbeddedPostgresOptions extends ServerOptions {
  /** Contains the folder `postgres`, its password and its log. */
  dataDirectory: string;
  /** Default `true`. `false` gives up durability on power failure for speed. */
  isDurable?: boolean;
  /** Called when the server died: with the number of the attempt to start it again. */
  onDied?: (attempt: number) => void;
}

export interface EmbeddedPostgres {
  connectionString: string;
  /** Whether the data directory's server was already running, left by a Parley that was killed. */
  isAdopted: boolean;
  /** Resolves with the reason if the server died and cannot be started again. Its owner then ends. */
  readonly lost: Promise<Error>;
  /** Stops the server. Idempotent. */
  close: () => Promise<void>;
}

/** A server that this process uses alone. */
interface OwnedServer {
  server: RunningServer;
  /** Holds the lock of the data directory, and notices the server's death. */
  owner: Client;
  isAdopted: boolean;
}

/**
 * Starts the PostgreSQL under `dataDirectory`, creating it if it does not exist, or adopts one that is already running
 * there. A server that dies is started again at the same address. Rejects if another live Parley uses the directory.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const cluster = await openCluster(options.dataDirectory, options.isDurable ?? true);
  for (let attempt = 1; ; attempt++) {
    const owned = await own(cluster, options);
    if (owned !== undefined) return new SupervisedPostgres(cluster, options, owned);
    if (attempt === START_ATTEMPTS)
      throw new Error(`the embedded PostgreSQL did not start: see ${cluster.logFile}`);
  }
}

/** Finds or starts the server and locks its directory; `undefined` if it ended before it was ready. */
async function own(cluster: Cluster, options: EmbeddedPostgresOptions): Promise<OwnedServer | undefined> {
  const running = await findRunningServer(cluster);
  const server = running ?? (await startServer(cluster, options));
  if (server === undefined) return undefined;
  const owner = await claim(cluster, server);
  await createDatabase(owner);
  return { server, owner, isAdopted: running !== undefined };
}

/** The embedded server, started again when it dies. */
class SupervisedPostgres implements EmbeddedPostgres {
  readonly connectionString: string;
  readonly isAdopted: boolean;
  readonly #cluster: Cluster;
  readonly #options: EmbeddedPostgresOptions;
  readonly #lost = Promise.withResolvers<Error>();
  readonly #closing = new AbortController();
  #owned: OwnedServer;
  #restarting: Promise<void> = Promise.resolve();
  #closed: Promise<void> | undefined;

  constructor(cluster: Cluster, options: EmbeddedPostgresOptions, owned: OwnedServer) {
    this.#cluster = cluster;
    // Its clients have its address.
    this.#options = { ...options, port: owned.server.port };
    this.#owned = owned;
    this.connectionString = connectionString(cluster, owned.server, DATABASE);
    this.isAdopted = owned.isAdopted;
    this.#watch();
  }

  get lost(): Promise<Error> {
    return this.#lost.promise;
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#closing.abort();
    await this.#restarting;
    await stopServer(this.#owned.server, this.#owned.owner);
  }

  #watch(): void {
    this.#owned.owner.once("end", () => {
      if (!this.#closing.signal.aborted) this.#restarting = this.#restart();
    });
  }

  async #restart(): Promise<void> {
    const { signal } = this.#closing;
    let reason: unknown;
    for (let attempt = 1; attempt <= RESTART_ATTEMPTS; attempt++) {
      this.#options.onDied?.(attempt);
      try {
        const owned = await own(this.#cluster, this.#options);
        if (owned !== undefined) {
          this.#owned = owned;
          this.#watch();
          return;
        }
      } catch (error) {
        reason = error;
      }
      await sleep(FIRST_RESTART_DELAY_MS * 2 ** (attempt - 1), undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
    }
    const message = `the embedded PostgreSQL died and cannot be started again: see ${this.#cluster.logFile}`;
    this.#lost.resolve(new Error(message, { cause: reason }));
  }
}

/**
 * Connection to the running PostgreSQL under `dataDirectory`, without claiming the directory; `undefined` if none runs.
 */
export async function findEmbeddedPostgres({
  dataDirectory,
}: Pick<EmbeddedPostgresOptions, "dataDirectory">): Promise<string | undefined> {
  const cluster = await openCluster(dataDirectory, true);
  const server = await findRunningServer(cluster);
  return server && connectionString(cluster, server, DATABASE);
}

/** Locks the data directory against a second Parley. The lock lasts as long as the connection, and so the process. */
async function claim(cluster: Cluster, server: RunningServer): Promise<Client> {
  const client = connect(cluster, server);
  await client.connect();
  const deadline = performance.now() + OWNER_DEADLINE_MS;
  for (;;) {
    const { rows } = await client.query<{ locked: boolean }>("select pg_try_advisory_lock($1) as locked", [
      OWNER_LOCK,
    ]);
    if (rows[0]?.locked === true) return client;
    if (performance.now() > deadline) {
      await client.end();
      throw new Error(
        `another Parley uses ${path.dirname(cluster.directory)}: stop it, or set PARLEY_DATA_DIR`,
      );
    }
    await sleep(POLL_INTERVAL_MS);
  }
}

async function createDatabase(owner: Client): Promise<void> {
  const { rowCount } = await owner.query("select 1 from pg_database where datname = $1", [DATABASE]);
  if (rowCount === 0) await owner.query(`create database ${DATABASE}`);
}
