import type { Database } from "../database/database.ts";
import type { Encryption } from "./encryption.ts";
import { encryptionKeys } from "./encryption.tables.ts";

/** What was stored cannot be read with the key that was given. */
class EncryptionKeyMismatchError extends Error {
  override readonly name = "EncryptionKeyMismatchError";
}

/** Remembers the key's fingerprint at the first start; rejects at a later one with another key. */
export async function checkEncryptionKey(database: Database, encryption: Encryption): Promise<void> {
  await database.insert(encryptionKeys).values({ fingerprint: encryption.fingerprint }).onConflictDoNothing();
  const [stored] = await database.select().from(encryptionKeys);
  if (stored?.fingerprint === encryption.fingerprint) return;
  throw new EncryptionKeyMismatchError(
    "PARLEY_ENCRYPTION_KEY does not match the key that encrypted the credentials in this database: set that key",
  );
}
