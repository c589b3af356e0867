import { index, integer, pgTable, text, unique, uuid } from "drizzle-orm/pg-core";
import { createdAt, instant, primaryId } from "../../platform/database/columns.ts";
import { organizations } from "../organizations/organizations.tables.ts";

/** The other sides of an agent's conversations: visitors of its widget, its signed users. */
export const customers = pgTable(
  "customers",
  {
    id: primaryId(),
    organizationId: uuid("organization_id")
      .notNull()
      .references(() => organizations.id, { onDelete: "cascade" }),
    agentId: uuid("agent_id").notNull(),
    /** The id that the widget's page signed. `null`: an anonymous visitor. */
    userId: text("user_id"),
    /** Latest chat of the widget. */
    conversationId: uuid("conversation_id"),
    /** Messages of the widget since a time, for their daily limit. */
    messageCount: integer("message_count").notNull().default(0),
    countedSince: instant("counted_since").notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    unique("customers_user").on(table.agentId, table.userId),
    index("customers_organization").on(table.organizationId, table.createdAt),
  ],
);
