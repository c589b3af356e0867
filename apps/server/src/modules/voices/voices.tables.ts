import { boolean, index, jsonb, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { createdAt, instant, primaryId } from "../../platform/database/columns.ts";
import { organizations } from "../organizations/organizations.tables.ts";

/** Voices that organizations created from recordings. */
export const voices = pgTable(
  "voices",
  {
    id: primaryId(),
    organizationId: uuid("organization_id")
      .notNull()
      .references(() => organizations.id, { onDelete: "cascade" }),
    displayName: text("display_name").notNull(),
    language: text("language").notNull(),
    status: text("status").$type<"processing" | "ready" | "failed">().notNull(),
    statusReason: text("status_reason"),
    isApproximation: boolean("is_approximation").notNull(),
    /** Provider that clones it; null for approximations. */
    provider: text("provider"),
    /** Whose key made the clone, and so whose account at the provider has it. */
    account: text("account").$type<"operator" | "organization">().notNull().default("operator"),
    /** Id of the voice that speaks: the provider's clone, or a local voice with its factors. Null until it is ready. */
    spokenVoiceId: text("spoken_voice_id"),
    /** Key of the recording in the object storage. */
    objectKey: text("object_key").notNull(),
    warnings: jsonb("warnings").$type<string[]>().notNull(),
    createdAt: createdAt(),
    /** Set until the clone and the recording are deleted, and then the row. */
    deletedAt: instant("deleted_at"),
  },
  (table) => [
    index("voices_organization").on(table.organizationId, table.createdAt),
    index("voices_spoken").on(table.spokenVoiceId),
  ],
);
