import { boolean, pgTable, text } from "drizzle-orm/pg-core";

/** One row: which key the encrypted columns of this database were written with. */
export const encryptionKeys = pgTable("encryption_keys", {
  isCurrent: boolean("is_current").primaryKey().default(true),
  fingerprint: text("fingerprint").notNull(),
});
