import { boolean, index, integer, pgTable, text, unique, uuid } from "drizzle-orm/pg-core";
import { createdAt, instant, primaryId } from "../../platform/database/columns.ts";
import { organizations } from "../organizations/organizations.tables.ts";

/** The other sides of an agent's conversations: visitors of its widget, signed users, and numbers. */
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
    /** E.164, if the customer is known by number. */
    phoneNumber: text("phone_number"),
    /** Whether the customer has written or called. */
    isActive: boolean("is_active").notNull().default(false),
    /** Latest chat of the widget. */
    conversationId: uuid("conversation_id"),
    /** Messages of the widget since a time, for their daily limit. */
    messageCount: integer("message_count").notNull().default(0),
    countedSince: instant("counted_since").notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    unique("customers_user").on(table.agentId, table.userId),
    unique("customers_number").on(table.agentId, table.phoneNumber),
    index("customers_organization").on(table.organizationId, table.createdAt),
  ],
);
