import { index, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { failureColumns } from "../conversations/provider-failures.tables.ts";
import { calls } from "./calls.tables.ts";

/** Failures of providers during calls. */
export const providerFailures = pgTable(
  "provider_failures",
  {
    callId: uuid("call_id")
      .notNull()
      .references(() => calls.id, { onDelete: "cascade" }),
    id: text("id").notNull(),
    ...failureColumns(),
  },
  (table) => [primaryKey({ columns: [table.callId, table.id] }), index("provider_failures_at").on(table.at)],
);
