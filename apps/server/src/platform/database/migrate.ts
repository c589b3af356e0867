import { fileURLToPath } from "node:url";
import { drizzle } from "drizzle-orm/node-postgres";
import { migrate } from "drizzle-orm/node-postgres/migrator";
import { Client } from "pg";

/** Held while migrating, so that of several nodes that start at once one migrates and the others wait. */
const MIGRATION_LOCK = 7_264_540;
const LOCK_DEADLINE_MS = 60_000;

const migrationsFolder = fileURLToPath(new URL("../../../migrations", import.meta.url));

/**
 * Brings the schema up to date. Uses a connection of its own (`connectionString` must be a direct one, not a
 * transaction pooler's), which takes the lock with it when the process dies.
 */
export async function migrateDatabase(connectionString: string): Promise<void> {
  const client = new Client({
    connectionString,
    application_name: "parley-migrate",
    lock_timeout: LOCK_DEADLINE_MS,
  });
  client.on("error", () => {});
  await client.connect();
  try {
    await client.query("select pg_advisory_lock($1)", [MIGRATION_LOCK]);
    await migrate(drizzle({ client }), { migrationsFolder });
  } finally {
    await client.end();
  }
}
