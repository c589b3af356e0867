ALTER TABLE "knowledge_documents" ADD COLUMN "website" jsonb;--> statement-breakpoint
ALTER TABLE "knowledge_documents" ADD COLUMN "is_searchable" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "knowledge_passages" ADD COLUMN "is_old" boolean DEFAULT false NOT NULL;--> statement-breakpoint
UPDATE "knowledge_documents" SET "is_searchable" = true WHERE "status" = 'ready';
