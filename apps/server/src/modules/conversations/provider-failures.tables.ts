import type { ProviderFailure } from "@parley/contract";
import { index, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { instant, primaryId } from "../../platform/database/columns.ts";
import { conversations } from "./conversations.tables.ts";

/** Columns of a failure, in a call or a conversation. */
export function failureColumns() {
  return {
    at: instant("at").notNull(),
    part: text("part").$type<ProviderFailure["part"]>().notNull(),
    provider: text("provider").notNull(),
    kind: text("kind").$type<ProviderFailure["kind"]>().notNull(),
    message: text("message").notNull(),
    takenOverBy: text("taken_over_by"),
  };
}

/** Failures of providers while replies by text were written. Those during calls are in the records of calls. */
export const conversationFailures = pgTable(
  "conversation_failures",
  {
    id: primaryId(),
    conversationId: uuid("conversation_id")
      .notNull()
      .references(() => conversations.id, { onDelete: "cascade" }),
    ...failureColumns(),
  },
  (table) => [
    index("conversation_failures_conversation").on(table.conversationId, table.at),
    index("conversation_failures_at").on(table.at),
  ],
);
