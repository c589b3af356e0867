import { pgTable, text, uuid } from "drizzle-orm/pg-core";
import { instant } from "../../platform/database/columns.ts";
import { organizations } from "../organizations/organizations.tables.ts";

/** Of organizations whose webhooks are signed. */
export const webhookSigningSecrets = pgTable("webhook_signing_secrets", {
  organizationId: uuid("organization_id")
    .primaryKey()
    .references(() => organizations.id, { onDelete: "cascade" }),
  /** Encrypted, as the one before it. */
  secret: text("secret").notNull(),
  last4: text("last4").notNull(),
  previousSecret: text("previous_secret"),
  /** Until then the previous one signs as well. */
  previousUntil: instant("previous_until"),
});
