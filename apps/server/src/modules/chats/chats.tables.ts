import { sql } from "drizzle-orm";
import { index, integer, pgTable, uuid } from "drizzle-orm/pg-core";
import { instant } from "../../platform/database/columns.ts";
import { conversations } from "../conversations/conversations.tables.ts";

/** Open chats, and the queue of their replies. The row of a chat is deleted when it ends. */
export const chats = pgTable(
  "chats",
  {
    conversationId: uuid("conversation_id")
      .primaryKey()
      .references(() => conversations.id, { onDelete: "cascade" }),
    organizationId: uuid("organization_id").notNull(),
    /** Visitor of a widget. `null`: a test chat. */
    visitorId: uuid("visitor_id").unique(),
    lastMessageAt: instant("last_message_at").notNull(),
    /** Number of messages and instructions that call for a reply. */
    inputCount: integer("input_count").notNull().default(0),
    /** When the reply is due. `null`: there is nothing to answer. */
    replyDueAt: instant("reply_due_at"),
    /** Attempts to write the reply that failed. */
    replyAttempts: integer("reply_attempts").notNull().default(0),
    /** The claim of the node that writes the reply, until then. */
    claimId: uuid("claim_id"),
    claimedUntil: instant("claimed_until"),
  },
  (table) => [
    index("chats_due")
      .on(table.replyDueAt)
      .where(sql`${table.replyDueAt} is not null`),
    index("chats_last_message").on(table.lastMessageAt),
  ],
);
