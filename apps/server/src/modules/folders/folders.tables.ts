import { index, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { createdAt, primaryId, updatedAt } from "../../platform/database/columns.ts";
import { organizations } from "../organizations/organizations.tables.ts";

export const folders = pgTable(
  "folders",
  {
    id: primaryId(),
    organizationId: uuid("organization_id")
      .notNull()
      .references(() => organizations.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    color: text("color"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [index("folders_organization").on(table.organizationId, table.createdAt)],
);
