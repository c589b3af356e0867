ALTER TABLE "knowledge_documents" ADD COLUMN "embedder" text;--> statement-breakpoint
ALTER TABLE "knowledge_passages" ADD COLUMN "embedder" text;--> statement-breakpoint
UPDATE "knowledge_passages" SET "embedder" = 'local/minilm' WHERE "embedding" IS NOT NULL;--> statement-breakpoint
UPDATE "knowledge_documents" SET "embedder" = 'local/minilm' WHERE "status" = 'ready';
