import { sql } from "drizzle-orm";
import { index, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { instant, primaryId } from "../../platform/database/columns.ts";
import { organizations } from "../organizations/organizations.tables.ts";

/** What people, keys and operators did. Names neither by reference: entries outlive them. */
export const auditLog = pgTable(
  "audit_log",
  {
    id: primaryId(),
    /** Null: an operator's action that is about no organization. */
    organizationId: uuid("organization_id").references(() => organizations.id, { onDelete: "cascade" }),
    actorType: text("actor_type").$type<"user" | "api_key" | "operator">().notNull(),
    /** Null: the operator's key. */
    actorId: uuid("actor_id"),
    actorName: text("actor_name").notNull(),
    action: text("action").notNull(),
    targetId: text("target_id"),
    detail: text("detail"),
    ipAddress: text("ip_address").notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [
    index("audit_log_organization").on(table.organizationId, table.createdAt),
    index("audit_log_time").on(table.createdAt),
    index("audit_log_operators")
      .on(table.createdAt)
      .where(sql`${table.actorType} = 'operator'`),
  ],
);
