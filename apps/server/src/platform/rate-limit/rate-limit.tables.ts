import { index, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { instant } from "../database/columns.ts";

/** Times of recent uses of limited operations: one row per organization and operation, with at most as many times as its limit. */
export const rateLimits = pgTable(
  "rate_limits",
  {
    organizationId: uuid("organization_id").notNull(),
    name: text("name").notNull(),
    takenAt: instant("taken_at").array().notNull(),
  },
  (table) => [primaryKey({ columns: [table.organizationId, table.name] })],
);

/**
 * Recent attempts to sign in and the like: one row per address or account that does not have its full limit. The table is
 * unlogged (a migration says so, Drizzle cannot), so that no attempt waits for the disk: after a crash of the database all
 * have their full limit.
 */
export const attemptLimits = pgTable(
  "attempt_limits",
  {
    /** Hash of the limit's name and the key. */
    id: text("id").primaryKey(),
    /** Time at which the key has its full limit again. */
    clearAt: instant("clear_at").notNull(),
  },
  (table) => [index("attempt_limits_clear").on(table.clearAt)],
);
