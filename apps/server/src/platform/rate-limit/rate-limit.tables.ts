import { pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { instant } from "../database/columns.ts";

/** What organizations have lately done of what they may do only so often: a row for each, as long as its limit. */
export const rateLimits = pgTable(
  "rate_limits",
  {
    organizationId: uuid("organization_id").notNull(),
    name: text("name").notNull(),
    takenAt: instant("taken_at").array().notNull(),
  },
  (table) => [primaryKey({ columns: [table.organizationId, table.name] })],
);
