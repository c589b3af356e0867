import { pgTable, text, uuid } from "drizzle-orm/pg-core";
import { createdAt } from "../../platform/database/columns.ts";
import { agents } from "../agents/agents.tables.ts";

/** Secrets by which pages sign the ids of their users. */
export const widgetSecrets = pgTable("widget_secrets", {
  agentId: uuid("agent_id")
    .primaryKey()
    .references(() => agents.id, { onDelete: "cascade" }),
  encryptedSecret: text("encrypted_secret").notNull(),
  last4: text("last4").notNull(),
  createdAt: createdAt(),
});
