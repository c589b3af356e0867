import type { Logger } from "pino";
import type { Config } from "../config/config.ts";
import { Encryption, loadOrCreateKey } from "../encryption/encryption.ts";
import type { Database } from "./database.ts";
import { startEmbeddedPostgres } from "./embedded-postgres.ts";

/** Each is a process of some 20 MB on the machine that also carries the calls, and answers at once. */
const CONNECTIONS_TO_EMBEDDED = 5;

export interface DatabaseConnection {
  database: Database;
  /** Direct connection for LISTEN, session locks and jobs. */
  directUrl: string;
  encryption: Encryption;
  /** Whether Parley runs the server itself. */
  isEmbedded: boolean;
  /** Resolves with the reason if the embedded server died for good. The node then ends. */
  lost: Promise<Error>;
  /** Closes the pool, then the embedded server. Idempotent. */
  close: () => Promise<void>;
}

/**
 * Opens the configured database, or our own, with an up-to-date schema and the key of its credentials. Rejects with an
 * error whose message is one line for the operator.
 */
export async function connectDatabase(
  config: Pick<Config, "database" | "dataDirectory" | "encryptionKeys">,
  logger: Logger,
): Promise<DatabaseConnection> {
  const embedded =
    config.database === undefined
      ? await startEmbeddedPostgres({
          dataDirectory: config.dataDirectory,
          onDied: (attempt) => logger.error({ attempt }, "the embedded PostgreSQL died; starting it again"),
        })
      : undefined;
  const url = config.database?.url ?? embedded?.connectionString ?? "";
  const directUrl = config.database?.directUrl ?? url;
  let database: Database | undefined;
  let closed: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await database?.$client.end();
    await embedded?.close();
  };
  try {
    // Imported here because static imports would delay the slower parts of a start.
    const [{ checkEncryptionKey }, { openDatabase }, { migrateDatabase }] = await Promise.all([
      import("../encryption/check-key.ts"),
      import("./database.ts"),
      import("./migrate.ts"),
    ]);
    database = await openDatabase(url, embedded && { maxConnections: CONNECTIONS_TO_EMBEDDED });
    await migrateDatabase(directUrl);
    const encryption = new Encryption(
      ...(config.encryptionKeys ?? [await loadOrCreateKey(config.dataDirectory)]),
    );
    await checkEncryptionKey(database, encryption);
    const isEmbedded = embedded !== undefined;
    return {
      database,
      directUrl,
      encryption,
      isEmbedded,
      lost: embedded?.lost ?? Promise.withResolvers<Error>().promise,
      close: async () => await (closed ??= close()),
    };
  } catch (error) {
    await close();
    throw error;
  }
}
