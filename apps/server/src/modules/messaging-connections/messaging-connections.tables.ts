import { DEFAULT_MESSAGES_PER_SECOND } from "@parley/contract";
import { index, integer, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { createdAt, primaryId, updatedAt } from "../../platform/database/columns.ts";
import { organizations } from "../organizations/organizations.tables.ts";

export const messagingConnections = pgTable(
  "messaging_connections",
  {
    id: primaryId(),
    organizationId: uuid("organization_id")
      .notNull()
      .references(() => organizations.id, { onDelete: "cascade" }),
    friendlyName: text("friendly_name").notNull(),
    accountSid: text("account_sid").notNull(),
    encryptedAuthToken: text("encrypted_auth_token").notNull(),
    messagingServiceSid: text("messaging_service_sid"),
    messagesPerSecond: integer("messages_per_second").notNull().default(DEFAULT_MESSAGES_PER_SECOND),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [index("messaging_connections_organization").on(table.organizationId, table.createdAt)],
);
