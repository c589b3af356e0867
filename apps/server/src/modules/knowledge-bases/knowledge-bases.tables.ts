import type { DocumentStatus, KnowledgeWebsite, StoredDocumentType } from "@parley/contract";
import { sql } from "drizzle-orm";
import { bigint, boolean, customType, index, integer, jsonb, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { createdAt, instant, primaryId, updatedAt } from "../../platform/database/columns.ts";
import { organizations } from "../organizations/organizations.tables.ts";

const bytea = customType<{ data: Buffer }>({ dataType: () => "bytea" });
const tsvector = customType<{ data: string }>({ dataType: () => "tsvector" });

const organizationId = () =>
  uuid("organization_id")
    .notNull()
    .references(() => organizations.id, { onDelete: "cascade" });

export const knowledgeBases = pgTable(
  "knowledge_bases",
  {
    id: primaryId(),
    organizationId: organizationId(),
    name: text("name").notNull(),
    description: text("description"),
    /** Increases whenever other passages can be found: processes that hold the vectors in memory then read them again. */
    version: integer("version").notNull().default(0),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [index("knowledge_bases_organization").on(table.organizationId, table.createdAt)],
);

export const knowledgeDocuments = pgTable(
  "knowledge_documents",
  {
    id: primaryId(),
    organizationId: organizationId(),
    knowledgeBaseId: uuid("knowledge_base_id")
      .notNull()
      .references(() => knowledgeBases.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    type: text("type").$type<StoredDocumentType>().notNull(),
    status: text("status").$type<DocumentStatus>().notNull(),
    statusReason: text("status_reason"),
    passages: integer("passages").notNull().default(0),
    embeddedPassages: integer("embedded_passages").notNull().default(0),
    bytes: integer("bytes").notNull(),
    website: jsonb("website").$type<KnowledgeWebsite>(),
    resyncIntervalHours: integer("resync_interval_hours"),
    /** When the website is due to be read again. Null: only by request. */
    nextSyncAt: instant("next_sync_at"),
    /** Whether searches find its passages: also while a website is read again. */
    isSearchable: boolean("is_searchable").notNull().default(false),
    /** Model that embedded all passages when the document was last ready. */
    embedder: text("embedder"),
    /** When the passages were stored; the upload is deleted then. Null again when a website is to be read again. */
    readAt: instant("read_at"),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index("knowledge_documents_base").on(table.knowledgeBaseId, table.createdAt),
    index("knowledge_documents_organization").on(table.organizationId),
    index("knowledge_documents_next_sync").on(table.nextSyncAt),
  ],
);

/** Prefix of the word that each passage has for its base: the index then finds the words of one base only. */
export const BASE_WORD_PREFIX = "base:";

export const knowledgePassages = pgTable(
  "knowledge_passages",
  {
    /** Increases in the order of the passages of a document. */
    id: bigint("id", { mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    knowledgeBaseId: uuid("knowledge_base_id").notNull(),
    documentId: uuid("document_id")
      .notNull()
      .references(() => knowledgeDocuments.id, { onDelete: "cascade" }),
    text: text("text").notNull(),
    heading: text("heading").notNull(),
    page: integer("page"),
    row: integer("row"),
    url: text("url"),
    /** Not in the latest reading of the website: deleted when that is complete. */
    isOld: boolean("is_old").notNull().default(false),
    /** Vector of length 1, as 32-bit floats in the processor's order (little-endian). Null until it is embedded. */
    embedding: bytea("embedding"),
    /** Model of the embedding. */
    embedder: text("embedder"),
    words: tsvector("words")
      .notNull()
      .generatedAlwaysAs(
        sql.raw(
          `to_tsvector('english', heading || ' ' || text) || array_to_tsvector(array['${BASE_WORD_PREFIX}' || knowledge_base_id::text])`,
        ),
      ),
  },
  (table) => [
    index("knowledge_passages_document").on(table.documentId, table.id),
    index("knowledge_passages_words").using("gin", table.words),
  ],
);
