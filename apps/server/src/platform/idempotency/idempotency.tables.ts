import { index, integer, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { instant } from "../database/columns.ts";

/** Keys of running requests, and stored answers for repeated requests. */
export const idempotencyKeys = pgTable(
  "idempotency_keys",
  {
    organizationId: uuid("organization_id").notNull(),
    method: text("method").notNull(),
    /** Path as requested, ids included. */
    path: text("path").notNull(),
    key: text("key").notNull(),
    fingerprint: text("fingerprint").notNull(),
    /** `null`, as is the body, until the request is answered. */
    status: integer("status"),
    encryptedBody: text("encrypted_body"),
    /** Time until which the request may still run; `null` once its answer is final. */
    runningUntil: instant("running_until"),
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.method, table.path, table.key] }),
    index("idempotency_keys_expiry").on(table.expiresAt),
  ],
);
