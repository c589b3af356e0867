import type {
  CallingWindow,
  CampaignStatus,
  ContactOutcome,
  ContactStatus,
  PauseReason,
  RetryPolicy,
  Variables,
  VoicemailStrategy,
} from "@parley/contract";
import { sql } from "drizzle-orm";
import {
  bigserial,
  boolean,
  doublePrecision,
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

export const campaigns = pgTable(
  "campaigns",
  {
    id: primaryId(),
    organizationId: uuid("organization_id")
      .notNull()
      .references(() => organizations.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    status: text("status").$type<CampaignStatus>().notNull().default("draft"),
    statusReason: text("status_reason").$type<PauseReason>(),
    statusDetail: text("status_detail"),
    /** No foreign key: an ended campaign outlives its agent. */
    agentId: uuid("agent_id").notNull(),
    /** Shown once the agent is deleted. */
    agentName: text("agent_name").notNull(),
    fromNumber: text("from_number").notNull(),
    environment: text("environment"),
    startAt: instant("start_at"),
    callingWindow: jsonb("calling_window").$type<CallingWindow>(),
    retryPolicy: jsonb("retry_policy").$type<RetryPolicy>().notNull(),
    maxConcurrency: integer("max_concurrency").notNull(),
    callsPerSecond: doublePrecision("calls_per_second").notNull(),
    voicemailStrategy: text("voicemail_strategy").$type<VoicemailStrategy>().notNull().default("agent"),
    defaultVariables: jsonb("default_variables").$type<Variables>().notNull(),
    /** Pace: no node dials before this time. */
    nextDialAt: instant("next_dial_at"),
    /**
     * Contacts by status, and those that are done by outcome. Every change of a contact's status locks the campaign, so the
     * counts are exact.
     */
    contactCounts: jsonb("contact_counts").$type<Partial<Record<ContactStatus, number>>>().notNull(),
    outcomeCounts: jsonb("outcome_counts").$type<Partial<Record<ContactOutcome, number>>>().notNull(),
    /** Time zones of the contacts; the empty one is the window's. */
    timezones: text("timezones").array().notNull(),
    /** Whether each of the last dials failed, the latest last. */
    recentFailures: boolean("recent_failures").array().notNull(),
    startedAt: instant("started_at"),
    completedAt: instant("completed_at"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index("campaigns_organization").on(table.organizationId, table.createdAt),
    index("campaigns_agent").on(table.agentId),
    index("campaigns_dialing")
      .on(table.id)
      .where(sql`${table.status} in ('scheduled', 'running')`),
  ],
);

/** Contacts of campaigns; those that are pending are the dialer's queue. */
export const campaignContacts = pgTable(
  "campaign_contacts",
  {
    id: primaryId(),
    campaignId: uuid("campaign_id")
      .notNull()
      .references(() => campaigns.id, { onDelete: "cascade" }),
    /** Order of creation. */
    position: bigserial("position", { mode: "number" }).notNull(),
    toNumber: text("to_number").notNull(),
    variables: jsonb("variables").$type<Variables>().notNull(),
    /** Empty: that of the campaign's window. */
    timezone: text("timezone").notNull(),
    status: text("status").$type<ContactStatus>().notNull().default("pending"),
    outcome: text("outcome").$type<ContactOutcome>(),
    attempts: integer("attempts").notNull().default(0),
    /** A pending contact is not dialed before this time; its time zone decides about the window. */
    dueAt: instant("due_at").notNull(),
    /** Call of the current attempt; null unless the status is `calling`. */
    callId: uuid("call_id"),
    lastAttemptAt: instant("last_attempt_at"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    uniqueIndex("campaign_contacts_number").on(table.campaignId, table.toNumber),
    index("campaign_contacts_position").on(table.campaignId, table.position),
    index("campaign_contacts_due")
      .on(table.campaignId, table.timezone, table.dueAt, table.position)
      .where(sql`${table.status} = 'pending'`),
  ],
);

/** What ended in each minute of a campaign, so that reading it does not depend on the number of calls. */
export const campaignActivity = pgTable(
  "campaign_activity",
  {
    campaignId: uuid("campaign_id")
      .notNull()
      .references(() => campaigns.id, { onDelete: "cascade" }),
    startsAt: instant("starts_at").notNull(),
    outcome: text("outcome").$type<ContactOutcome>().notNull(),
    attempts: integer("attempts").notNull(),
    contactsDone: integer("contacts_done").notNull(),
  },
  (table) => [primaryKey({ columns: [table.campaignId, table.startsAt, table.outcome] })],
);
