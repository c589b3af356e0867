import type { ProviderId } from "@parley/providers/registry";
import { pgTable, text, unique, uuid } from "drizzle-orm/pg-core";
import { createdAt, primaryId, updatedAt } from "../../platform/database/columns.ts";
import { organizations } from "../organizations/organizations.tables.ts";

export const providerKeys = pgTable(
  "provider_keys",
  {
    id: primaryId(),
    organizationId: uuid("organization_id")
      .notNull()
      .references(() => organizations.id, { onDelete: "cascade" }),
    provider: text("provider").$type<ProviderId>().notNull(),
    encryptedApiKey: text("encrypted_api_key").notNull(),
    last4: text("last4").notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [unique("provider_keys_provider").on(table.organizationId, table.provider)],
);
