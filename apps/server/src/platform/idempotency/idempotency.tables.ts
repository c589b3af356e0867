import { index, integer, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { instant } from "../database/columns.ts";

/** Keys of requests that run, and answers that are given again to who asks again. */
export const idempotencyKeys = pgTable(
  "idempotency_keys",
  {
    organizationId: uuid("organization_id").notNull(),
    method: text("method").notNull(),
    /** As requested, ids included. */
    path: text("path").notNull(),
    key: text("key").notNull(),
    fingerprint: text("fingerprint").notNull(),
    /** Null, as the body, until there is an answer. */
    status: integer("status"),
    body: text("body"),
    /** Until then the request may still run; null once its answer is final. */
    runningUntil: instant("running_until"),
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.method, table.path, table.key] }),
    index("idempotency_keys_expiry").on(table.expiresAt),
  ],
);
