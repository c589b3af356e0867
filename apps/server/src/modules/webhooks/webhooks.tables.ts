import type { WebhookType } from "@parley/contract";
import { boolean, index, integer, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { createdAt, instant, primaryId } from "../../platform/database/columns.ts";
import { organizations } from "../organizations/organizations.tables.ts";

/** Of organizations whose webhooks are signed. */
export const webhookSigningSecrets = pgTable("webhook_signing_secrets", {
  organizationId: uuid("organization_id")
    .primaryKey()
    .references(() => organizations.id, { onDelete: "cascade" }),
  /** Encrypted, as the one before it. */
  secret: text("secret").notNull(),
  last4: text("last4").notNull(),
  previousSecret: text("previous_secret"),
  /** Until then the previous one signs as well. */
  previousUntil: instant("previous_until"),
});

/** What is told to customers' servers, or asked of them: one row for each event, whatever became of it. */
export const webhookEvents = pgTable(
  "webhook_events",
  {
    id: primaryId(),
    organizationId: uuid("organization_id")
      .notNull()
      .references(() => organizations.id, { onDelete: "cascade" }),
    type: text("type").$type<WebhookType>().notNull(),
    /** The call, or the message. */
    subjectId: uuid("subject_id").notNull(),
    url: text("url").notNull(),
    status: text("status").$type<"pending" | "delivered" | "failed">().notNull().default("pending"),
    /** Without those that were asked for. */
    attempts: integer("attempts").notNull().default(0),
    nextAttemptAt: instant("next_attempt_at"),
    /** Built at the first attempt where its cause does not settle it; the same at all others. */
    body: text("body"),
    createdAt: createdAt(),
  },
  (table) => [
    index("webhook_events_organization").on(table.organizationId, table.createdAt),
    index("webhook_events_subject").on(table.subjectId),
    index("webhook_events_created").on(table.createdAt),
  ],
);

export const webhookAttempts = pgTable(
  "webhook_attempts",
  {
    id: primaryId(),
    eventId: uuid("event_id")
      .notNull()
      .references(() => webhookEvents.id, { onDelete: "cascade" }),
    startedAt: instant("started_at").notNull(),
    durationMs: integer("duration_ms").notNull(),
    answerStatus: integer("answer_status"),
    answer: text("answer"),
    /** Null: it was taken. */
    problem: text("problem"),
    isResend: boolean("is_resend").notNull(),
  },
  (table) => [index("webhook_attempts_event").on(table.eventId, table.startedAt)],
);
