import type { Actor, AgentStatus, PublishMode, VersionKind, Variables } from "@parley/contract";
import { sql } from "drizzle-orm";
import {
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  unique,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { createdAt, primaryId, updatedAt } from "../../platform/database/columns.ts";
import { folders } from "../folders/folders.tables.ts";
import { messagingConnections } from "../messaging-connections/messaging-connections.tables.ts";
import { organizations } from "../organizations/organizations.tables.ts";
import { sipTrunks } from "../sip-trunks/sip-trunks.tables.ts";
import type { StoredDocument } from "./stored-document.ts";

const organizationId = () =>
  uuid("organization_id")
    .notNull()
    .references(() => organizations.id, { onDelete: "cascade" });

export const agents = pgTable(
  "agents",
  {
    id: primaryId(),
    organizationId: organizationId(),
    /** The draft. */
    document: jsonb("document").$type<StoredDocument>().notNull(),
    /** Revision of the latest version, whose snapshot equals the document. */
    revision: integer("revision").notNull(),
    publishMode: text("publish_mode").$type<PublishMode>().notNull(),
    publishedRevision: integer("published_revision"),
    hasUnpublishedChanges: boolean("has_unpublished_changes").notNull().default(false),
    widgetKey: text("widget_key").notNull().unique(),
    // Copies of document fields that lists and foreign keys need.
    name: text("name")
      .notNull()
      .generatedAlwaysAs(sql`document->>'name'`),
    status: text("status")
      .$type<AgentStatus>()
      .notNull()
      .generatedAlwaysAs(sql`document->>'status'`),
    // Before a trunk or folder is deleted, its agents are changed to drop it, so that each gets a version for the
    // change.
    sipTrunkId: uuid("sip_trunk_id")
      .generatedAlwaysAs(sql`(document->>'sipTrunkId')::uuid`)
      .references(() => sipTrunks.id),
    folderId: uuid("folder_id")
      .generatedAlwaysAs(sql`(document->>'folderId')::uuid`)
      .references(() => folders.id),
    // A connection is deleted only when no agent uses it.
    messagingConnectionId: uuid("messaging_connection_id")
      .generatedAlwaysAs(sql`(document->>'messagingConnectionId')::uuid`)
      .references(() => messagingConnections.id),
    messagingNumber: text("messaging_number").generatedAlwaysAs(
      sql`document->'messagingConfig'->>'fromNumber'`,
    ),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    uniqueIndex("agents_messaging_number").on(table.messagingConnectionId, table.messagingNumber),
    index("agents_organization").on(table.organizationId, table.createdAt),
    index("agents_sip_trunk").on(table.sipTrunkId),
    index("agents_folder").on(table.folderId),
  ],
);

export const agentVersions = pgTable(
  "agent_versions",
  {
    id: primaryId(),
    organizationId: organizationId(),
    /** No foreign key: history survives the agent. */
    agentId: uuid("agent_id").notNull(),
    revision: integer("revision").notNull(),
    kind: text("kind").$type<VersionKind>().notNull(),
    actor: jsonb("actor").$type<Actor>().notNull(),
    changedFields: jsonb("changed_fields").$type<string[]>().notNull(),
    snapshot: jsonb("snapshot").$type<StoredDocument>().notNull(),
    // State after the write. Not part of the snapshot, which a restore applies.
    publishMode: text("publish_mode").$type<PublishMode>().notNull(),
    publishedRevision: integer("published_revision"),
    createdAt: createdAt(),
  },
  (table) => [unique("agent_versions_revision").on(table.agentId, table.revision)],
);

export const agentEnvironments = pgTable(
  "agent_environments",
  {
    agentId: uuid("agent_id")
      .notNull()
      .references(() => agents.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    /** `null` pins the draft. */
    revision: integer("revision"),
    variables: jsonb("variables").$type<Variables>().notNull().default({}),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [primaryKey({ columns: [table.agentId, table.name] })],
);
