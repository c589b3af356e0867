ALTER TABLE "knowledge_documents" ADD COLUMN "resync_interval_hours" integer;--> statement-breakpoint
ALTER TABLE "knowledge_documents" ADD COLUMN "next_sync_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "knowledge_documents_next_sync" ON "knowledge_documents" USING btree ("next_sync_at");