import type {
  CallEndReason,
  CallEvaluation,
  CallExtraction,
  CallLatency,
  CallQuality,
  CallResultStatus,
  CallStatus,
  Turn,
} from "@parley/contract";
import { sql } from "drizzle-orm";
import { boolean, index, integer, jsonb, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { createdAt, instant, primaryId } from "../../platform/database/columns.ts";
import { conversations } from "../conversations/conversations.tables.ts";
import { organizations } from "../organizations/organizations.tables.ts";
import { phoneNumbers } from "../phone-numbers/phone-numbers.tables.ts";
import { sipTrunks } from "../sip-trunks/sip-trunks.tables.ts";

export type CallChannel = "phone" | "web";

export const calls = pgTable(
  "calls",
  {
    id: primaryId(),
    organizationId: uuid("organization_id")
      .notNull()
      .references(() => organizations.id, { onDelete: "cascade" }),
    conversationId: uuid("conversation_id")
      .notNull()
      .references(() => conversations.id),
    /** No foreign key: a call outlives its agent. */
    agentId: uuid("agent_id").notNull(),
    /** No foreign key: a call outlives its campaign. */
    campaignId: uuid("campaign_id"),
    campaignContactId: uuid("campaign_contact_id"),
    /** When the platform began to dial the call; only of campaigns. */
    dialedAt: instant("dialed_at"),
    phoneNumberId: uuid("phone_number_id").references(() => phoneNumbers.id, { onDelete: "set null" }),
    sipTrunkId: uuid("sip_trunk_id").references(() => sipTrunks.id, { onDelete: "set null" }),
    agentRevision: integer("agent_revision"),
    configurationRevision: integer("configuration_revision"),
    environment: text("environment"),
    channel: text("channel").$type<CallChannel>().notNull(),
    direction: text("direction").$type<"inbound" | "outbound">().notNull(),
    status: text("status").$type<CallStatus>().notNull(),
    endReason: text("end_reason").$type<CallEndReason>(),
    endDetail: text("end_detail"),
    fromNumber: text("from_number"),
    /** Null for a web call. */
    toNumber: text("to_number"),
    /** The node that runs the call. Only this node writes the call's progress. */
    nodeId: text("node_id").notNull(),
    sipCallId: text("sip_call_id"),
    llmName: text("llm_name"),
    sttName: text("stt_name"),
    ttsName: text("tts_name"),
    startedAt: instant("started_at"),
    answeredAt: instant("answered_at"),
    endedAt: instant("ended_at"),
    billableSeconds: integer("billable_seconds").notNull().default(0),
    latency: jsonb("latency").$type<CallLatency>(),
    quality: jsonb("quality").$type<CallQuality>(),
    /** URL in the configuration that ran. */
    postCallWebhookUrl: text("post_call_webhook_url"),
    postCallWebhookStatus: text("post_call_webhook_status").$type<"pending" | "delivered" | "failed">(),
    postCallWebhookAttempts: integer("post_call_webhook_attempts").notNull().default(0),
    isTest: boolean("is_test").notNull().default(false),
    /** Null if the agent records no calls. */
    recordingStatus: text("recording_status").$type<CallResultStatus>(),
    /** Null if the agent has neither extraction nor evaluation. */
    analysisStatus: text("analysis_status").$type<CallResultStatus>(),
    /** Reason of a failed analysis. */
    analysisDetail: text("analysis_detail"),
    extraction: jsonb("extraction").$type<CallExtraction>(),
    evaluation: jsonb("evaluation").$type<CallEvaluation>(),
    createdAt: createdAt(),
  },
  (table) => [
    index("calls_organization").on(table.organizationId, table.createdAt),
    index("calls_agent").on(table.agentId, table.createdAt),
    index("calls_from").on(table.organizationId, table.fromNumber, table.createdAt),
    index("calls_to").on(table.organizationId, table.toNumber, table.createdAt),
    index("calls_status").on(table.organizationId, table.status, table.createdAt),
    index("calls_end").on(table.organizationId, table.endReason, table.createdAt),
    index("calls_channel").on(table.organizationId, table.channel, table.createdAt),
    index("calls_duration").on(table.organizationId, table.billableSeconds),
    index("calls_environment")
      .on(table.organizationId, table.environment, table.createdAt)
      .where(sql`${table.environment} is not null`),
    index("calls_test")
      .on(table.organizationId, table.createdAt)
      .where(sql`${table.isTest}`),
    index("calls_trunk")
      .on(table.sipTrunkId, table.createdAt)
      .where(sql`${table.sipTrunkId} is not null`),
    index("calls_conversation").on(table.conversationId),
    index("calls_campaign")
      .on(table.campaignId, table.createdAt)
      .where(sql`${table.campaignId} is not null`),
    index("calls_campaign_contact")
      .on(table.campaignContactId)
      .where(sql`${table.campaignContactId} is not null`),
    index("calls_dialed")
      .on(table.organizationId, table.toNumber, table.dialedAt)
      .where(sql`${table.dialedAt} is not null`),
    index("calls_unended")
      .on(table.organizationId)
      .where(sql`${table.endedAt} is null`),
    index("calls_awaiting_recording")
      .on(table.nodeId)
      .where(sql`${table.recordingStatus} = 'pending'`),
    index("calls_open")
      .on(table.nodeId)
      .where(sql`${table.endedAt} is null`),
  ],
);

export const callTurns = pgTable(
  "call_turns",
  {
    callId: uuid("call_id")
      .notNull()
      .references(() => calls.id, { onDelete: "cascade" }),
    id: text("id").notNull(),
    sequence: integer("sequence").notNull(),
    turn: jsonb("turn").$type<Turn>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.callId, table.id] })],
);
