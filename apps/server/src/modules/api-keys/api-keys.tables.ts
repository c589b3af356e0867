import type { ApiKeyRole } from "@parley/contract";
import { index, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { createdAt, instant, primaryId } from "../../platform/database/columns.ts";
import { organizations } from "../organizations/organizations.tables.ts";

/** Hashes (SHA-256, hex) of all bootstrap keys so far, so that a revoked key is not created again at the next start. */
export const bootstrapKeys = pgTable("bootstrap_keys", {
  hash: text("hash").primaryKey(),
});

export const apiKeys = pgTable(
  "api_keys",
  {
    id: primaryId(),
    organizationId: uuid("organization_id")
      .notNull()
      .references(() => organizations.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    /** SHA-256, hex. */
    hash: text("hash").notNull().unique(),
    last4: text("last4").notNull(),
    role: text("role").$type<ApiKeyRole>().notNull().default("admin"),
    /** Name of the user or of the key that created it. `null`: the server. */
    createdBy: text("created_by"),
    expiresAt: instant("expires_at"),
    lastUsedAt: instant("last_used_at"),
    createdAt: createdAt(),
  },
  (table) => [index("api_keys_organization").on(table.organizationId, table.createdAt)],
);
