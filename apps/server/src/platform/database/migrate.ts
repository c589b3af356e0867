import { fileURLToPath } from "node:url";
import { drizzle } from "drizzle-orm/node-postgres";
import { readMigrationFiles } from "drizzle-orm/migrator";
import { migrate } from "drizzle-orm/node-postgres/migrator";
import { Client } from "pg";

/** Held while migrating: if several nodes start at once, one migrates and the others wait. */
const MIGRATION_LOCK = 7_264_540;
const LOCK_TIMEOUT_MS = 60_000;

const migrationsFolder = fileURLToPath(new URL("../../../migrations", import.meta.url));

/** The schema can be neither used nor upgraded by this version. The message is one line for the operator. */
export class IncompatibleSchemaError extends Error {
  override readonly name = "IncompatibleSchemaError";
  readonly problem: string;
  /** Action for the operator. */
  readonly remedy: string;

  constructor(problem: string, remedy: string) {
    super(`${problem}: ${remedy}`);
    this.problem = problem;
    this.remedy = remedy;
  }
}

/**
 * Upgrades the schema. Opens a connection of its own, whose end releases the lock even if the process dies;
 * `connectionString` must therefore be a direct one, not a transaction pooler's.
 *
 * @throws {@link IncompatibleSchemaError} if the schema is older than the first migration or newer than this version.
 */
export async function migrateDatabase(connectionString: string): Promise<void> {
  const client = new Client({
    connectionString,
    application_name: "parley-migrate",
    lock_timeout: LOCK_TIMEOUT_MS,
  });
  client.on("error", () => {});
  await client.connect();
  try {
    await client.query("select pg_advisory_lock($1)", [MIGRATION_LOCK]);
    await requireCompatibleSchema(client);
    await migrate(drizzle({ client }), { migrationsFolder });
  } finally {
    await client.end();
  }
}

/** Compares the database's applied migrations with those of this version. */
export async function requireCompatibleSchema(client: Client): Promise<void> {
  const applied = await listAppliedMigrations(client);
  const known = readMigrationFiles({ migrationsFolder }).map(({ hash }) => hash);
  if (applied.length === 0) return;
  if (applied[0] !== known[0]) {
    throw new IncompatibleSchemaError(
      "the database was created by a development version of Parley and cannot be upgraded",
      "set DATABASE_URL to an empty database or, for the embedded one, PARLEY_DATA_DIR to another folder",
    );
  }
  if (applied.some((hash) => !known.includes(hash))) {
    throw new IncompatibleSchemaError(
      "the database was upgraded by a newer version of Parley",
      "start that version, or restore a backup made before the upgrade",
    );
  }
}

/** Hashes of the migrations, the oldest first. */
async function listAppliedMigrations(client: Client): Promise<string[]> {
  const { rows: tables } = await client.query("select to_regclass('drizzle.__drizzle_migrations') as name");
  if (tables[0]?.name === null) return [];
  const { rows } = await client.query<{ hash: string }>(
    "select hash from drizzle.__drizzle_migrations order by created_at",
  );
  return rows.map(({ hash }) => hash);
}
