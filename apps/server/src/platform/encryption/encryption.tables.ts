import { boolean, pgTable, text } from "drizzle-orm/pg-core";

/** One row: fingerprint of the key of this database's encrypted columns. */
export const encryptionKeys = pgTable("encryption_keys", {
  isCurrent: boolean("is_current").primaryKey().default(true),
  fingerprint: text("fingerprint").notNull(),
});
