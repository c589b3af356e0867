import { errorMessage } from "@parley/conversation/error-message";
import { type NodePgDatabase, drizzle } from "drizzle-orm/node-postgres";
import { Pool, type PoolClient, type PoolConfig } from "pg";
import { currentOrganization } from "../organization-scope.ts";
import { FairQueue } from "../fair-queue.ts";
import { joinable } from "./joint-transaction.ts";
import { forbidInTransaction, inTransactionScope } from "./transaction-scope.ts";

const CONNECT_DEADLINE_MS = 5_000;
const STATEMENT_DEADLINE_MS = 30_000;
/** Added to the statement's own deadline, for a server that can no longer enforce it. */
const ANSWER_GRACE_MS = 5_000;
/** Enough for a server at some distance: the queries of a node take a millisecond or two. */
const MAX_CONNECTIONS = 10;

/** Target of stores' SQL: the database itself or one of its transactions. */
export type Queries = Pick<
  NodePgDatabase,
  "select" | "selectDistinct" | "insert" | "update" | "delete" | "execute"
>;

export interface Database extends NodePgDatabase {
  $client: Pool;
}

/** Connections that the work of organizations leaves to the node's own work. */
const OWN_CONNECTIONS = 1;

type ConnectCallback = Parameters<Pool["connect"]>[0];

/**
 * Pool that prevents a deadlock: work that uses one connection and waits for another would block forever once all
 * connections are used in this way.
 */
class ConnectionPool extends Pool {
  readonly #turns: FairQueue;
  readonly #held = new WeakMap<PoolClient, Disposable>();

  constructor(config: PoolConfig) {
    super(config);
    this.#turns = new FairQueue(Math.max(1, this.options.max - OWN_CONNECTIONS));
    this.on("release", (_error, client) => {
      this.#held.get(client)?.[Symbol.dispose]();
      this.#held.delete(client);
    });
  }

  override connect(): Promise<PoolClient>;
  override connect(callback: ConnectCallback): void;
  override connect(callback?: ConnectCallback): Promise<PoolClient> | void {
    forbidInTransaction("another database connection");
    const organizationId = currentOrganization();
    if (organizationId === undefined)
      return callback === undefined ? super.connect() : super.connect(callback);
    if (callback === undefined) return this.#connectFor(organizationId);
    void this.#callBack(organizationId, callback);
  }

  async #callBack(organizationId: string, callback: ConnectCallback): Promise<void> {
    let client: PoolClient;
    try {
      client = await this.#connectFor(organizationId);
    } catch (error) {
      callback(error instanceof Error ? error : new Error(String(error)), undefined, () => {});
      return;
    }
    callback(undefined, client, (error) => client.release(error));
  }

  /** Organizations take turns when more of their work waits than there are connections. */
  async #connectFor(organizationId: string): Promise<PoolClient> {
    const turn = await this.#turns.take(organizationId);
    try {
      const client = await super.connect();
      this.#held.set(client, turn);
      return client;
    } catch (error) {
      turn[Symbol.dispose]();
      throw error;
    }
  }
}

export interface PoolOptions {
  /** Default 10. */
  maxConnections?: number;
  /** Default 30 s. */
  statementDeadlineMs?: number;
}

/** The database is unavailable, for the reason in `cause`; the message is one line for the operator. */
export class DatabaseUnavailableError extends Error {
  override readonly name = "DatabaseUnavailableError";
}

/**
 * Opens a pool and verifies that the database answers. Rejects with `DatabaseUnavailableError`.
 *
 * @param maxConnections Further work waits for a connection in this process.
 */
export async function openDatabase(
  connectionString: string,
  { maxConnections = MAX_CONNECTIONS, statementDeadlineMs = STATEMENT_DEADLINE_MS }: PoolOptions = {},
): Promise<Database> {
  const pool = new ConnectionPool({
    connectionString,
    max: maxConnections,
    connectionTimeoutMillis: CONNECT_DEADLINE_MS,
    // Idle connections stay open: the same number will be needed again, and a new connection must read the catalog
    // first.
    idleTimeoutMillis: 0,
    statement_timeout: statementDeadlineMs,
    query_timeout: statementDeadlineMs + ANSWER_GRACE_MS,
    keepAlive: true,
    application_name: "parley",
  });
  // The pool replaces a broken connection, and its user gets a rejection; without these listeners the error would end
  // the process. The pool reports errors of idle connections, the connection itself those while in use.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  try {
    await pool.query("select 1");
  } catch (cause) {
    await pool.end();
    throw new DatabaseUnavailableError(
      `cannot connect to the database ${nameOf(connectionString)}: ${reasonOf(cause)}`,
      {
        cause,
      },
    );
  }
  return joinable(returningConnections(drizzle({ client: pool })));
}

/**
 * Drizzle's own transactions on a pool never release the connection if `begin` fails, as it does on every connection
 * that broke unnoticed: a database outage would leave the pool empty. These transactions always release it.
 */
function returningConnections(database: Database): Database {
  const transaction: Database["transaction"] = async (work, config) => {
    const client = await database.$client.connect().catch((cause: unknown) => {
      throw new DatabaseUnavailableError("no connection to the database is available", { cause });
    });
    try {
      return await inTransactionScope(async () => await drizzle({ client }).transaction(work, config));
    } finally {
      client.release();
    }
  };
  return Object.assign(database, { transaction });
}

/** Connection string without its credentials. */
function nameOf(connectionString: string): string {
  try {
    const { hostname, port, pathname } = new URL(connectionString);
    return `${pathname.slice(1) || "postgres"} at ${hostname || "localhost"}:${port || "5432"}`;
  } catch {
    return "named by DATABASE_URL";
  }
}

function reasonOf(error: unknown): string {
  // Node reports several refused addresses of one host as an error with an empty message.
  if (error instanceof AggregateError) return error.errors.map(String).join("; ");
  return errorMessage(error);
}
