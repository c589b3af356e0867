import type { MessageDirection, MessageMedia, MessageStatus } from "@parley/contract";
import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { createdAt, instant, primaryId, updatedAt } from "../../platform/database/columns.ts";
import { organizations } from "../organizations/organizations.tables.ts";

const organizationId = () =>
  uuid("organization_id")
    .notNull()
    .references(() => organizations.id, { onDelete: "cascade" });

/** The log of messages, and the queue of those to send. */
export const messages = pgTable(
  "messages",
  {
    id: primaryId(),
    /** Order of the messages between two numbers. */
    sequence: bigint("sequence", { mode: "number" }).generatedAlwaysAsIdentity(),
    organizationId: organizationId(),
    // No foreign keys: the log outlives agents, connections and calls.
    agentId: uuid("agent_id"),
    messagingConnectionId: uuid("messaging_connection_id").notNull(),
    callId: uuid("call_id"),
    conversationId: uuid("conversation_id"),
    direction: text("direction").$type<MessageDirection>().notNull(),
    fromNumber: text("from_number").notNull(),
    toNumber: text("to_number").notNull(),
    body: text("body").notNull(),
    media: jsonb("media").$type<MessageMedia[]>().notNull().default([]),
    status: text("status").$type<MessageStatus>().notNull(),
    providerMessageId: text("provider_message_id"),
    generatedByLlm: boolean("generated_by_llm").notNull().default(false),
    /** Whether the message needs no reply any more. */
    isAnswered: boolean("is_answered").notNull().default(true),
    errorCode: integer("error_code"),
    errorMessage: text("error_message"),
    /** When the message is to be sent or looked up. `null`: there is nothing to do. */
    dueAt: instant("due_at"),
    /** Attempts to hand it to the provider that had no effect. */
    attempts: integer("attempts").notNull().default(0),
    /** Begin of the request whose outcome is unknown. `null`: none was sent, or its outcome is known. */
    requestedAt: instant("requested_at"),
    /** A node works on it until then. */
    claimedUntil: instant("claimed_until"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    uniqueIndex("messages_provider").on(table.messagingConnectionId, table.providerMessageId),
    index("messages_organization").on(table.organizationId, table.createdAt),
    index("messages_conversation").on(table.conversationId, table.createdAt),
    index("messages_unanswered")
      .on(table.conversationId)
      .where(sql`not ${table.isAnswered}`),
    index("messages_due")
      .on(table.dueAt)
      .where(sql`${table.dueAt} is not null`),
    index("messages_waiting")
      .on(table.messagingConnectionId, table.fromNumber, table.toNumber, table.sequence)
      .where(sql`${table.dueAt} is not null`),
  ],
);

/** Pace of the messages from one number. */
export const messageSenders = pgTable(
  "message_senders",
  {
    messagingConnectionId: uuid("messaging_connection_id").notNull(),
    number: text("number").notNull(),
    nextAt: instant("next_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.messagingConnectionId, table.number] })],
);

/** What passes between one of our numbers and another number. */
export const messageThreads = pgTable(
  "message_threads",
  {
    messagingConnectionId: uuid("messaging_connection_id").notNull(),
    ownNumber: text("own_number").notNull(),
    otherNumber: text("other_number").notNull(),
    organizationId: organizationId(),
    agentId: uuid("agent_id"),
    conversationId: uuid("conversation_id"),
    lastMessageAt: instant("last_message_at").notNull(),
    /** When the conversation ends, unless another message comes before. */
    endsAt: instant("ends_at"),
    /** The other side has sent STOP. */
    optedOutAt: instant("opted_out_at"),
    /** When the messages without a reply are to be answered. `null`: there are none. */
    replyDueAt: instant("reply_due_at"),
    /** Time of the first message without a reply. */
    unansweredSince: instant("unanswered_since"),
    /** Failed attempts to write this reply. */
    replyAttempts: integer("reply_attempts").notNull().default(0),
    /** A node writes the reply until then. */
    claimedUntil: instant("claimed_until"),
    /** Identifies the claim: only its holder stores a reply. */
    claimId: uuid("claim_id"),
  },
  (table) => [
    primaryKey({
      name: "message_threads_pk",
      columns: [table.messagingConnectionId, table.ownNumber, table.otherNumber],
    }),
    index("message_threads_conversation").on(table.conversationId),
    index("message_threads_ends")
      .on(table.endsAt)
      .where(sql`${table.endsAt} is not null`),
    index("message_threads_due")
      .on(table.replyDueAt)
      .where(sql`${table.replyDueAt} is not null`),
  ],
);
