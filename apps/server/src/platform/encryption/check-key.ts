import type { Database } from "../database/database.ts";
import type { Encryption } from "./encryption.ts";
import { encryptionKeys } from "./encryption.tables.ts";

/** The given key cannot decrypt the stored data. */
class EncryptionKeyMismatchError extends Error {
  override readonly name = "EncryptionKeyMismatchError";
}

/** Stores the key's fingerprint at the first start; rejects if a later start has another key. */
export async function checkEncryptionKey(database: Database, encryption: Encryption): Promise<void> {
  await database.insert(encryptionKeys).values({ fingerprint: encryption.fingerprint }).onConflictDoNothing();
  const [stored] = await database.select().from(encryptionKeys);
  if (stored?.fingerprint === encryption.fingerprint) return;
  throw new EncryptionKeyMismatchError(
    "PARLEY_ENCRYPTION_KEY does not match the key that encrypted the credentials in this database: set that key",
  );
}
