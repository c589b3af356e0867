import { randomUUID } from "node:crypto";
import { stat } from "node:fs/promises";
import path from "node:path";
import { errorMessage } from "@parley/conversation/error-message";
import { Client } from "pg";
import type { Config } from "../../platform/config/config.ts";
import { findEmbeddedPostgres, startEmbeddedPostgres } from "../../platform/database/embedded-postgres.ts";
import { encryptedColumns } from "../../modules/encrypted-columns.ts";
import type { Encryption } from "../../platform/encryption/encryption.ts";
import {
  describeUnreadable,
  findUnreadableSecrets,
  type Select,
} from "../../platform/encryption/missing-keys.ts";
import { IncompatibleSchemaError, requireCompatibleSchema } from "../../platform/database/migrate.ts";
import { type Check, failed, type Finding, ok, warning } from "../finding.ts";

/** What the tests run against; 13 and older have reached their end. */
const MIN_POSTGRES_VERSION = 140_000;
const CONNECT_TIMEOUT_MS = 5_000;
const NOTIFY_TIMEOUT_MS = 3_000;
/** TLS certificates and webhook signatures are judged by the machine's clock. */
const MAX_CLOCK_DIFFERENCE_MS = 2_000;
/** A pool, the bus, jobs, the heartbeat and migrations of one node. */
const CONNECTIONS_PER_NODE = 25;

/** PostgreSQL's SQLSTATE and Node's error codes, with what an operator does about them. */
const remedies: Readonly<Record<string, string>> = {
  "28P01": "Set the right password in DATABASE_URL.",
  "28000": "Allow this user in the server's pg_hba.conf, or set another user in DATABASE_URL.",
  "3D000": "Create the database that DATABASE_URL names: CREATE DATABASE.",
  "53300": "Raise max_connections of the server, or put a pooler in front (see PARLEY_DATABASE_DIRECT_URL).",
  ECONNREFUSED: "Start PostgreSQL there, or correct host and port in DATABASE_URL.",
  ENOTFOUND: "Correct the host name in DATABASE_URL.",
};

export interface DatabaseAccess {
  /** `undefined` when there is no database yet. */
  url: string | undefined;
  directUrl: string | undefined;
  finding: Finding;
  close: () => Promise<void>;
}

type DatabaseConfig = Pick<Config, "database" | "dataDirectory">;

/**
 * Finds the database that a node with this configuration uses: the external one, or the embedded one, which is started
 * for the checks unless it runs. An embedded database that does not exist yet is not created.
 */
export async function openDatabaseAccess({
  database,
  dataDirectory,
}: DatabaseConfig): Promise<DatabaseAccess> {
  const close = (): Promise<void> => Promise.resolve();
  if (database !== undefined) {
    return { ...database, finding: ok("DATABASE_URL is an external PostgreSQL."), close };
  }
  const none = { url: undefined, directUrl: undefined, close };
  if (!(await exists(path.join(dataDirectory, "postgres")))) {
    return { ...none, finding: ok("The embedded PostgreSQL is created at the first start.") };
  }
  try {
    const running = await findEmbeddedPostgres({ dataDirectory });
    if (running !== undefined) {
      const finding = ok("The embedded PostgreSQL runs.");
      return { url: running, directUrl: running, finding, close };
    }
    const started = await startEmbeddedPostgres({ dataDirectory });
    const { connectionString } = started;
    const finding = ok("The embedded PostgreSQL starts.");
    return { url: connectionString, directUrl: connectionString, finding, close: started.close };
  } catch (error) {
    const remedy = `Read ${path.join(dataDirectory, "postgres.log")}; docs/guides/backup.md describes how to restore a backup.`;
    return {
      ...none,
      finding: failed(`The embedded PostgreSQL does not start: ${reasonOf(error)}.`, remedy),
    };
  }
}

/** Connection, version, rights, NOTIFY, clock and encryption key. */
export function databaseCheck(
  { url, directUrl, finding }: Pick<DatabaseAccess, "url" | "directUrl" | "finding">,
  encryption: Encryption | undefined,
): Check {
  return {
    name: "database",
    run: async () => {
      if (url === undefined || directUrl === undefined) return finding;
      const client = new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
      client.on("error", () => {});
      try {
        await client.connect();
      } catch (error) {
        return [finding, describeConnectError(error)];
      }
      try {
        return [
          finding,
          await judgeVersion(client),
          await judgeRights(client),
          await judgeSchema(client),
          await judgeConnections(client),
          await judgeClock(client),
          await judgeKey(client, encryption?.fingerprints ?? []),
          ...(await judgeSecrets(client, encryption)),
          await judgeNotify(directUrl),
        ];
      } finally {
        await client.end();
      }
    },
  };
}

function describeConnectError(error: unknown): Finding {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const remedy = remedies[code] ?? "Check DATABASE_URL: host, port, user, password, database, TLS.";
  return failed(`The database cannot be used: ${reasonOf(error)}.`, remedy);
}

async function judgeVersion(client: Client): Promise<Finding> {
  const version = await queryText(client, "show server_version");
  const number = Number(await queryText(client, "show server_version_num"));
  if (number >= MIN_POSTGRES_VERSION) return ok(`PostgreSQL ${version} answers.`);
  return failed(`PostgreSQL ${version} is too old.`, "Upgrade it to 14 or later.");
}

async function judgeRights(client: Client): Promise<Finding> {
  const isReadOnly = (await queryText(client, "show transaction_read_only")) === "on";
  if (isReadOnly)
    return failed(
      "The database is read-only: this server is a standby.",
      "Set DATABASE_URL to the primary server.",
    );
  const { rows } = await client.query<{ allowed: boolean }>(
    "select has_database_privilege(current_database(), 'create') and has_schema_privilege('public', 'create') as allowed",
  );
  if (rows[0]?.allowed === true) return ok("The database user can create tables.");
  return failed(
    "The database user cannot create tables, which Parley needs at start.",
    "GRANT CREATE ON DATABASE … and GRANT CREATE ON SCHEMA public TO the user of DATABASE_URL, or make it the owner.",
  );
}

async function judgeSchema(client: Client): Promise<Finding> {
  try {
    await requireCompatibleSchema(client);
    return ok("This version can use or upgrade the schema.");
  } catch (error) {
    if (!(error instanceof IncompatibleSchemaError)) throw error;
    return failed(sentence(error.problem), sentence(error.remedy));
  }
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

async function judgeConnections(client: Client): Promise<Finding> {
  const limit = Number(await queryText(client, "show max_connections"));
  const used = Number(await queryText(client, "select count(*)::text from pg_stat_activity"));
  const text = `${used} of ${limit} connections are in use; a node uses up to ${CONNECTIONS_PER_NODE}.`;
  return limit >= CONNECTIONS_PER_NODE ? ok(text) : warning(text, "Raise max_connections of the server.");
}

async function judgeClock(client: Client): Promise<Finding> {
  const askedAtMs = Date.now();
  const databaseMs = Number(
    await queryText(client, "select (extract(epoch from clock_timestamp()) * 1000)::text"),
  );
  const differenceMs = Math.abs(databaseMs - (askedAtMs + Date.now()) / 2);
  if (differenceMs <= MAX_CLOCK_DIFFERENCE_MS)
    return ok("The clocks of this machine and the database agree.");
  return warning(
    `The clocks of this machine and the database differ by ${(differenceMs / 1000).toFixed(1)} s.`,
    "Synchronize both with a time server (chrony, systemd-timesyncd): certificates and signatures depend on the time.",
  );
}

async function judgeKey(client: Client, keyFingerprints: readonly string[]): Promise<Finding> {
  const isKept = await queryText(client, "select to_regclass('encryption_keys')::text");
  if (isKept === "") return ok("Nothing is encrypted in this database yet.");
  const stored = await queryText(client, "select fingerprint from encryption_keys");
  if (stored === "") return ok("Nothing is encrypted in this database yet.");
  if (keyFingerprints.length === 0) {
    return failed(
      "The encryption key of this database's credentials is missing.",
      "Restore encryption.key in PARLEY_DATA_DIR from the backup, or set PARLEY_ENCRYPTION_KEY.",
    );
  }
  if (keyFingerprints[0] === stored) return ok("The encryption key matches this database's credentials.");
  if (keyFingerprints.includes(stored))
    return warning(
      "Credentials may still be encrypted with another key than the first of PARLEY_ENCRYPTION_KEY.",
      "Keep all keys until a node that was started with them logs that all stored secrets are encrypted with one key.",
    );
  return failed(
    "The encryption key does not match this database's credentials.",
    "Set PARLEY_ENCRYPTION_KEY to the key of the other nodes or of earlier starts.",
  );
}

/** Finds secrets under a key that was removed too early. */
async function judgeSecrets(client: Client, encryption: Encryption | undefined): Promise<Finding[]> {
  if (encryption === undefined) return [];
  const select: Select = async (text, values) =>
    (await client.query<Record<string, unknown>>(text, values)).rows;
  const secrets = await findUnreadableSecrets(select, encryptedColumns, encryption);
  if (secrets.length === 0) return [];
  const remedy =
    "Add the old key after the others, and wait until a node logs that all stored secrets are encrypted with one key. Without the old key, set these secrets again.";
  return [failed(`${describeUnreadable(secrets)}.`, remedy)];
}

/** Whether a NOTIFY returns: nodes receive each other's commands by it, and a transaction pooler swallows it. */
async function judgeNotify(directUrl: string): Promise<Finding> {
  const client = new Client({ connectionString: directUrl, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  client.on("error", () => {});
  const channel = `parley_doctor_${randomUUID().replaceAll("-", "")}`;
  try {
    await client.connect();
    const heard = new Promise<boolean>((resolve) => {
      client.once("notification", () => resolve(true));
      setTimeout(() => resolve(false), NOTIFY_TIMEOUT_MS).unref();
    });
    await client.query(`listen ${channel}`);
    await client.query("select pg_notify($1, '')", [channel]);
    if (await heard) return ok("NOTIFY works.");
  } catch (error) {
    return describeConnectError(error);
  } finally {
    await client.end().catch(() => {});
  }
  return failed(
    "NOTIFY does not work through this connection, probably because of a transaction pooler.",
    "Set PARLEY_DATABASE_DIRECT_URL to a connection that bypasses the pooler.",
  );
}

async function queryText(client: Client, sql: string): Promise<string> {
  const { rows } = await client.query<unknown[]>({ text: sql, rowMode: "array" });
  const value = rows[0]?.[0];
  return typeof value === "string" ? value : "";
}

async function exists(file: string): Promise<boolean> {
  return await stat(file).then(
    () => true,
    () => false,
  );
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(String).join("; ");
  return errorMessage(error);
}
