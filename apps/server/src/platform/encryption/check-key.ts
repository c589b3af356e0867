import type { Database } from "../database/database.ts";
import type { Encryption } from "./encryption.ts";
import { encryptionKeys } from "./encryption.tables.ts";

/** The given key cannot decrypt the stored data. */
class EncryptionKeyMismatchError extends Error {
  override readonly name = "EncryptionKeyMismatchError";
}

/**
 * Stores the first key's fingerprint at the first start; rejects if a later start does not have that key. Re-encryption
 * stores the fingerprint of the next one.
 */
export async function checkEncryptionKey(database: Database, encryption: Encryption): Promise<void> {
  await database.insert(encryptionKeys).values({ fingerprint: encryption.fingerprint }).onConflictDoNothing();
  const [stored] = await database.select().from(encryptionKeys);
  if (stored !== undefined && encryption.fingerprints.includes(stored.fingerprint)) return;
  throw new EncryptionKeyMismatchError(
    "PARLEY_ENCRYPTION_KEY does not match the key that encrypted the credentials in this database: set that key, or add it after the new one",
  );
}
