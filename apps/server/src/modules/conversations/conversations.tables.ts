import type { TranscriptItem } from "@parley/contract";
import { index, integer, jsonb, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { createdAt, primaryId, updatedAt } from "../../platform/database/columns.ts";
import { organizations } from "../organizations/organizations.tables.ts";

export const conversations = pgTable(
  "conversations",
  {
    id: primaryId(),
    organizationId: uuid("organization_id")
      .notNull()
      .references(() => organizations.id, { onDelete: "cascade" }),
    /** No foreign key: a conversation outlives its agent. */
    agentId: uuid("agent_id").notNull(),
    // What ran, and goes on running whatever is saved and published meanwhile.
    agentRevision: integer("agent_revision"),
    configurationRevision: integer("configuration_revision"),
    environment: text("environment"),
    channel: text("channel").$type<"phone" | "web">().notNull(),
    variables: jsonb("variables").$type<Record<string, string>>().notNull().default({}),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [index("conversations_organization").on(table.organizationId, table.createdAt)],
);

export const transcriptItems = pgTable(
  "transcript_items",
  {
    conversationId: uuid("conversation_id")
      .notNull()
      .references(() => conversations.id, { onDelete: "cascade" }),
    /** Given by whoever runs the conversation; a repeated write of an item is recognized by it. */
    id: text("id").notNull(),
    sequence: integer("sequence").notNull(),
    item: jsonb("item").$type<TranscriptItem>().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.conversationId, table.id] }),
    index("transcript_items_sequence").on(table.conversationId, table.sequence),
  ],
);
