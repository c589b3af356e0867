/** Databases for tests: one PostgreSQL per test file, and a fresh copy of the migrated schema per test. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after } from "node:test";
import { Client } from "pg";
import { type Database, openDatabase } from "./database.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "./embedded-postgres.ts";
import { migrateDatabase } from "./migrate.ts";

const TEMPLATE = "parley_template";

export interface TestDatabase {
  database: Database;
  connectionString: string;
  /** Fails if a connection is still open: everything that the test started must be closed before. */
  close: () => Promise<void>;
}

/** Database with a server of its own, which can be stopped and started again at the same address. */
interface StoppableTestDatabase extends TestDatabase {
  stop: () => Promise<void>;
  start: () => Promise<void>;
}

let server: Promise<{ postgres: EmbeddedPostgres; dataDirectory: string }> | undefined;

// Registered here because inside a test the hook would run at that test's end.
after(async () => {
  if (server === undefined) return;
  const { postgres, dataDirectory } = await server;
  await postgres.close();
  await rm(dataDirectory, { recursive: true, force: true });
});

/**
 * Creates a database with the current schema or, if `isEmpty`, without any. Its server is shared by the file's tests
 * and stops after them.
 */
export async function createTestDatabase({ isEmpty = false } = {}): Promise<TestDatabase> {
  server ??= startServer();
  const adminUrl = (await server).postgres.connectionString;
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  await runSql(adminUrl, `create database ${name} template ${isEmpty ? "template0" : TEMPLATE}`);
  const connectionString = withDatabase(adminUrl, name);
  const database = await openDatabase(connectionString);
  return {
    database,
    connectionString,
    close: async () => {
      await database.$client.end();
      const left = await countConnections(adminUrl, name);
      await runSql(adminUrl, `drop database ${name} with (force)`);
      assert.equal(left, 0, "connections to the test's database were left open");
    },
  };
}

export async function createStoppableTestDatabase(): Promise<StoppableTestDatabase> {
  const dataDirectory = await mkdtemp(path.join(tmpdir(), "parley-test-database-"));
  let postgres = await startEmbeddedPostgres({ dataDirectory, isDurable: false });
  const { connectionString } = postgres;
  const port = Number(new URL(connectionString).port);
  await migrateDatabase(connectionString);
  const database = await openDatabase(connectionString);
  return {
    database,
    connectionString,
    stop: async () => await postgres.close(),
    start: async () => {
      postgres = await startEmbeddedPostgres({ dataDirectory, isDurable: false, port });
    },
    close: async () => {
      await database.$client.end();
      await postgres.close();
      await rm(dataDirectory, { recursive: true, force: true });
    },
  };
}

async function startServer(): Promise<{ postgres: EmbeddedPostgres; dataDirectory: string }> {
  const dataDirectory = await mkdtemp(path.join(tmpdir(), "parley-test-database-"));
  const postgres = await startEmbeddedPostgres({ dataDirectory, isDurable: false });
  await runSql(postgres.connectionString, `create database ${TEMPLATE}`);
  await migrateDatabase(withDatabase(postgres.connectionString, TEMPLATE));
  return { postgres, dataDirectory };
}

function withDatabase(connectionString: string, name: string): string {
  const url = new URL(connectionString);
  url.pathname = `/${name}`;
  return url.href;
}

async function runSql(connectionString: string, statement: string): Promise<void> {
  const client = new Client({ connectionString });
  await client.connect();
  await client.query(statement);
  await client.end();
}

/** Waits briefly until the server notices connections that were just closed. */
async function countConnections(connectionString: string, name: string): Promise<number> {
  const client = new Client({ connectionString });
  await client.connect();
  let left = 0;
  for (let attempt = 0; attempt < 50; attempt++) {
    const { rowCount } = await client.query(
      "select 1 from pg_stat_activity where datname = $1 and backend_type = 'client backend'",
      [name],
    );
    left = rowCount ?? 0;
    if (left === 0) break;
    await client.query("select pg_sleep(0.02)");
  }
  await client.end();
  return left;
}
