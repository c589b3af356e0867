import type { AgentStatus } from "@parley/contract";
import { sql } from "drizzle-orm";
import { index, jsonb, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { createdAt, primaryId, updatedAt } from "../../platform/database/columns.ts";
import { organizations } from "../organizations/organizations.tables.ts";
import { sipTrunks } from "../sip-trunks/sip-trunks.tables.ts";
import type { StoredDocument } from "./agent-document.rules.ts";

export const agents = pgTable(
  "agents",
  {
    id: primaryId(),
    organizationId: uuid("organization_id")
      .notNull()
      .references(() => organizations.id, { onDelete: "cascade" }),
    document: jsonb("document").$type<StoredDocument>().notNull(),
    /** For lists and searches; the document says it. */
    name: text("name")
      .notNull()
      .generatedAlwaysAs(sql`document->>'name'`),
    // Status and trunk are live whatever version runs, hence beside the document.
    status: text("status").$type<AgentStatus>().notNull().default("active"),
    sipTrunkId: uuid("sip_trunk_id").references(() => sipTrunks.id, { onDelete: "set null" }),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index("agents_organization").on(table.organizationId, table.createdAt),
    index("agents_sip_trunk").on(table.sipTrunkId),
  ],
);
