import type { WebhookType } from "@parley/contract";
import { boolean, index, integer, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { createdAt, instant, primaryId } from "../../platform/database/columns.ts";
import { organizations } from "../organizations/organizations.tables.ts";

/** Secrets of organizations whose webhooks are signed. */
export const webhookSigningSecrets = pgTable("webhook_signing_secrets", {
  organizationId: uuid("organization_id")
    .primaryKey()
    .references(() => organizations.id, { onDelete: "cascade" }),
  /** Encrypted, as is the previous secret. */
  secret: text("secret").notNull(),
  last4: text("last4").notNull(),
  previousSecret: text("previous_secret"),
  /** The previous secret also signs until then. */
  previousUntil: instant("previous_until"),
});

/** Events sent to customers' servers and questions asked of them: one row per event, regardless of the result. */
export const webhookEvents = pgTable(
  "webhook_events",
  {
    id: primaryId(),
    organizationId: uuid("organization_id")
      .notNull()
      .references(() => organizations.id, { onDelete: "cascade" }),
    type: text("type").$type<WebhookType>().notNull(),
    /** Id of the call or message. */
    subjectId: uuid("subject_id").notNull(),
    /** Agent of the call or message. No foreign key: the log outlives the agent. Null: logged before the column. */
    agentId: uuid("agent_id"),
    url: text("url").notNull(),
    status: text("status").$type<"pending" | "delivered" | "failed">().notNull().default("pending"),
    /** Attempts, without those requested through the API. */
    attempts: integer("attempts").notNull().default(0),
    nextAttemptAt: instant("next_attempt_at"),
    /** Body, the same for all attempts. Built at the first attempt if the event was announced without one. */
    body: text("body"),
    createdAt: createdAt(),
  },
  (table) => [
    index("webhook_events_organization").on(table.organizationId, table.createdAt),
    index("webhook_events_agent").on(table.agentId, table.createdAt),
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
    /** `null` if the server accepted the event. */
    problem: text("problem"),
    isResend: boolean("is_resend").notNull(),
  },
  (table) => [index("webhook_attempts_event").on(table.eventId, table.startedAt)],
);
