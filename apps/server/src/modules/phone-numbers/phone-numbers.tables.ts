import { index, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { createdAt, primaryId, updatedAt } from "../../platform/database/columns.ts";
import { agents } from "../agents/agents.tables.ts";
import { organizations } from "../organizations/organizations.tables.ts";
import { sipTrunks } from "../sip-trunks/sip-trunks.tables.ts";

export const phoneNumbers = pgTable(
  "phone_numbers",
  {
    id: primaryId(),
    organizationId: uuid("organization_id")
      .notNull()
      .references(() => organizations.id, { onDelete: "cascade" }),
    sipTrunkId: uuid("sip_trunk_id")
      .notNull()
      .references(() => sipTrunks.id, { onDelete: "cascade" }),
    agentId: uuid("agent_id").references(() => agents.id, { onDelete: "set null" }),
    /** Environment of the agent; `null` is production. */
    environment: text("environment"),
    /** May also belong to other organizations, if the trunks can be told apart by a call (`areDistinguishable`). */
    e164: text("e164").notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    uniqueIndex("phone_numbers_e164").on(table.e164, table.organizationId),
    index("phone_numbers_organization").on(table.organizationId, table.createdAt),
    index("phone_numbers_agent").on(table.agentId),
    index("phone_numbers_sip_trunk").on(table.sipTrunkId),
  ],
);
