import type { DoNotCallSource } from "@parley/contract";
import { index, integer, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { createdAt, primaryId } from "../../platform/database/columns.ts";
import { organizations } from "../organizations/organizations.tables.ts";

const organizationId = () =>
  uuid("organization_id").references(() => organizations.id, { onDelete: "cascade" });

export const doNotCall = pgTable(
  "do_not_call",
  {
    id: primaryId(),
    organizationId: organizationId().notNull(),
    /** E.164. */
    phoneNumber: text("phone_number").notNull(),
    source: text("source").$type<DoNotCallSource>().notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("do_not_call_number").on(table.organizationId, table.phoneNumber),
    index("do_not_call_organization").on(table.organizationId, table.createdAt),
  ],
);

/** Organizations without a row have the defaults. */
export const doNotCallSettings = pgTable("do_not_call_settings", {
  organizationId: organizationId().primaryKey(),
  maxDialsPerDay: integer("max_dials_per_day"),
});
