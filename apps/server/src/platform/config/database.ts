import { parseEncryptionKeys } from "../encryption/encryption.ts";
import type { EnvironmentReader } from "./environment-reader.ts";

/** Database and the keys of its encrypted values. */
export interface DatabaseConfig {
  /** `undefined`: the embedded PostgreSQL. */
  database: { url: string; directUrl: string } | undefined;
  /** The first one encrypts. */
  encryptionKeys: readonly [Buffer, ...Buffer[]] | undefined;
}

const protocols = ["postgres:", "postgresql:"];

export function readDatabase(reader: EnvironmentReader): DatabaseConfig {
  const url = reader.url("DATABASE_URL", protocols);
  const directUrl = reader.url("PARLEY_DATABASE_DIRECT_URL", protocols);
  const encryptionKeys = reader.parse("PARLEY_ENCRYPTION_KEY", parseEncryptionKeys);
  if (url === undefined) {
    if (directUrl !== undefined)
      reader.report("PARLEY_DATABASE_DIRECT_URL has no effect without DATABASE_URL");
    return { database: undefined, encryptionKeys };
  }
  if (reader.text("PARLEY_ENCRYPTION_KEY") === undefined)
    reader.report(
      "PARLEY_ENCRYPTION_KEY is required with DATABASE_URL (create one: openssl rand -base64 32)",
    );
  return { database: { url, directUrl: directUrl ?? url }, encryptionKeys };
}
