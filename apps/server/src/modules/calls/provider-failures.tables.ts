import type { ProviderFailure } from "@parley/contract";
import { index, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { instant } from "../../platform/database/columns.ts";
import { calls } from "./calls.tables.ts";

/** Failures of providers during calls. */
export const providerFailures = pgTable(
  "provider_failures",
  {
    callId: uuid("call_id")
      .notNull()
      .references(() => calls.id, { onDelete: "cascade" }),
    id: text("id").notNull(),
    at: instant("at").notNull(),
    part: text("part").$type<ProviderFailure["part"]>().notNull(),
    provider: text("provider").notNull(),
    kind: text("kind").$type<ProviderFailure["kind"]>().notNull(),
    message: text("message").notNull(),
    takenOverBy: text("taken_over_by"),
  },
  (table) => [primaryKey({ columns: [table.callId, table.id] }), index("provider_failures_at").on(table.at)],
);
