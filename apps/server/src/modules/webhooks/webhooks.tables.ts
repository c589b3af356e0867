import { integer, pgTable, text, uuid } from "drizzle-orm/pg-core";
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

/** What is told to customers' servers: one row for each event, whatever became of it. */
export const webhookEvents = pgTable("webhook_events", {
  id: primaryId(),
  organizationId: uuid("organization_id")
    .notNull()
    .references(() => organizations.id, { onDelete: "cascade" }),
  type: text("type").$type<"call.post">().notNull(),
  /** The call. */
  subjectId: uuid("subject_id").notNull(),
  url: text("url").notNull(),
  status: text("status").$type<"pending" | "delivered" | "failed">().notNull().default("pending"),
  attempts: integer("attempts").notNull().default(0),
  /** Built at the first attempt; the same at all others. */
  body: text("body"),
  // Of the last attempt.
  attemptedAt: instant("attempted_at"),
  answerStatus: integer("answer_status"),
  answer: text("answer"),
  problem: text("problem"),
  createdAt: createdAt(),
});
