import { bigint, integer, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { createdAt } from "../../platform/database/columns.ts";
import { calls } from "../calls/calls.tables.ts";
import { organizations } from "../organizations/organizations.tables.ts";

/** Stored recordings. Whether one is pending is on the call's record. */
export const recordings = pgTable("recordings", {
  callId: uuid("call_id")
    .primaryKey()
    .references(() => calls.id, { onDelete: "cascade" }),
  organizationId: uuid("organization_id")
    .notNull()
    .references(() => organizations.id, { onDelete: "cascade" }),
  objectKey: text("object_key").notNull(),
  sizeBytes: bigint("size_bytes", { mode: "number" }).notNull(),
  durationMs: integer("duration_ms").notNull(),
  createdAt: createdAt(),
});
