ALTER TABLE "conversations" ADD COLUMN "analysis_status" text;--> statement-breakpoint
ALTER TABLE "conversations" ADD COLUMN "analysis_detail" text;--> statement-breakpoint
ALTER TABLE "conversations" ADD COLUMN "extraction" jsonb;--> statement-breakpoint
ALTER TABLE "conversations" ADD COLUMN "evaluation" jsonb;--> statement-breakpoint
ALTER TABLE "message_threads" ADD COLUMN "ends_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "message_threads_ends" ON "message_threads" USING btree ("ends_at") WHERE "message_threads"."ends_at" is not null;