import { errorMessage } from "@parley/conversation/error-message";
import { type NodePgDatabase, drizzle } from "drizzle-orm/node-postgres";
import { Pool, type PoolClient } from "pg";
import { joinable } from "./joint-transaction.ts";
import { forbidInTransaction, inTransactionScope } from "./transaction-scope.ts";

const CONNECT_DEADLINE_MS = 5_000;
const STATEMENT_DEADLINE_MS = 30_000;
/** Beyond the statement's own, for a server that cannot keep that any more. */
const ANSWER_GRACE_MS = 5_000;
/** Enough for a server that is some way off: what a node asks is answered in a millisecond or two. */
const MAX_CONNECTIONS = 10;

/** What stores run their SQL on: the database itself or a transaction of it. */
export type Queries = Pick<
  NodePgDatabase,
  "select" | "selectDistinct" | "insert" | "update" | "delete" | "execute"
>;

export interface Database extends NodePgDatabase {
  $client: Pool;
}

type ConnectCallback = Parameters<Pool["connect"]>[0];

/** Work that holds one connection and waits for another stops for good once as many do so as there are connections. */
class ConnectionPool extends Pool {
  override connect(): Promise<PoolClient>;
  override connect(callback: ConnectCallback): void;
  override connect(callback?: ConnectCallback): Promise<PoolClient> | void {
    forbidInTransaction("another database connection");
    return callback === undefined ? super.connect() : super.connect(callback);
  }
}

export interface PoolOptions {
  /** 10 unless stated. */
  maxConnections?: number;
  /** 30 s unless stated. */
  statementDeadlineMs?: number;
}

/** The database cannot be used, as `cause` says; the message is one line that an operator understands. */
export class DatabaseUnavailableError extends Error {
  override readonly name = "DatabaseUnavailableError";
}

/**
 * Opens a pool and proves that the database answers. Rejects with `DatabaseUnavailableError`.
 *
 * @param maxConnections What waits for one waits in this process.
 */
export async function openDatabase(
  connectionString: string,
  { maxConnections = MAX_CONNECTIONS, statementDeadlineMs = STATEMENT_DEADLINE_MS }: PoolOptions = {},
): Promise<Database> {
  const pool = new ConnectionPool({
    connectionString,
    max: maxConnections,
    connectionTimeoutMillis: CONNECT_DEADLINE_MS,
    // Never given up for having nothing to do: how many were needed once will be again, and a new one has to read the catalog first.
    idleTimeoutMillis: 0,
    statement_timeout: statementDeadlineMs,
    query_timeout: statementDeadlineMs + ANSWER_GRACE_MS,
    keepAlive: true,
    application_name: "parley",
  });
  // A connection that breaks is replaced by the pool, and whoever uses it is told by what it rejects; without these
  // listeners it would end the process. An idle one is the pool's to report, one in use only its own.
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
 * Drizzle's own transactions on a pool keep the connection for ever where `begin` fails, as it does on every connection that
 * broke unnoticed: a database that was away would leave the pool without any. These give it back whatever happens.
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

/** Without its credentials. */
function nameOf(connectionString: string): string {
  try {
    const { hostname, port, pathname } = new URL(connectionString);
    return `${pathname.slice(1) || "postgres"} at ${hostname || "localhost"}:${port || "5432"}`;
  } catch {
    return "named by DATABASE_URL";
  }
}

function reasonOf(error: unknown): string {
  // Node reports several refused addresses of one host as an error whose own message is empty.
  if (error instanceof AggregateError) return error.errors.map(String).join("; ");
  return errorMessage(error);
}
