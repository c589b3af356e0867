import { pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
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
