import { index, integer, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { instant } from "../database/columns.ts";

/** Answers that are given again to who asks again. */
export const idempotencyKeys = pgTable(
  "idempotency_keys",
  {
    organizationId: uuid("organization_id").notNull(),
    method: text("method").notNull(),
    /** As requested, ids included. */
    path: text("path").notNull(),
    key: text("key").notNull(),
    fingerprint: text("fingerprint").notNull(),
    status: integer("status").notNull(),
    body: text("body").notNull(),
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.method, table.path, table.key] }),
    index("idempotency_keys_expiry").on(table.expiresAt),
  ],
);
