import type {
  CallEvaluation,
  CallExtraction,
  CallResultStatus,
  ConversationChannel,
  TranscriptItem,
  Variables,
} from "@parley/contract";
import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { boolean, index, integer, jsonb, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { createdAt, instant, primaryId, updatedAt } from "../../platform/database/columns.ts";
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
    // The configuration that runs, regardless of later changes and publications.
    agentRevision: integer("agent_revision"),
    configurationRevision: integer("configuration_revision"),
    environment: text("environment"),
    channel: text("channel").$type<ConversationChannel>().notNull(),
    /** Always false for calls, whose record has it. */
    isTest: boolean("is_test").notNull().default(false),
    /** The other side, if it is known over conversations. */
    customerId: uuid("customer_id"),
    /** The interrupted call that this one continues. */
    continuesId: uuid("continues_id"),
    // Only conversations by text end here.
    endedAt: instant("ended_at"),
    endReason: text("end_reason").$type<"idle" | "user">(),
    // Analysis of a conversation by text; that of a call is in its record.
    analysisStatus: text("analysis_status").$type<CallResultStatus>(),
    analysisDetail: text("analysis_detail"),
    extraction: jsonb("extraction").$type<CallExtraction>(),
    evaluation: jsonb("evaluation").$type<CallEvaluation>(),
    /** The transcript was deleted at this time; no item is added after it. */
    transcriptDeletedAt: instant("transcript_deleted_at"),
    variables: jsonb("variables").$type<Variables>().notNull().default({}),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index("conversations_organization").on(table.organizationId, table.createdAt),
    index("conversations_customer").on(table.customerId, table.createdAt),
  ],
);

/** Words of an item, for the search in transcripts. `simple`: no language's endings and stop words. */
export const wordsOf = (item: SQLWrapper): SQL => sql`to_tsvector('simple', ${item} ->> 'text')`;

export const isMessage = (item: SQLWrapper): SQL => sql`${item} ->> 'type' = 'message'`;

export const transcriptItems = pgTable(
  "transcript_items",
  {
    conversationId: uuid("conversation_id")
      .notNull()
      .references(() => conversations.id, { onDelete: "cascade" }),
    /** Assigned by the writer; makes repeated writes of an item idempotent. */
    id: text("id").notNull(),
    sequence: integer("sequence").notNull(),
    item: jsonb("item").$type<TranscriptItem>().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.conversationId, table.id] }),
    index("transcript_items_sequence").on(table.conversationId, table.sequence),
    index("transcript_items_words").using("gin", wordsOf(table.item)).where(isMessage(table.item)),
  ],
);
