ALTER TABLE "message_threads" ADD COLUMN "reply_due_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "message_threads" ADD COLUMN "unanswered_since" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "message_threads" ADD COLUMN "reply_attempts" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "message_threads" ADD COLUMN "claimed_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "message_threads" ADD COLUMN "claim_id" uuid;--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "is_answered" boolean DEFAULT true NOT NULL;--> statement-breakpoint
CREATE INDEX "message_threads_due" ON "message_threads" USING btree ("reply_due_at") WHERE "message_threads"."reply_due_at" is not null;--> statement-breakpoint
CREATE INDEX "messages_unanswered" ON "messages" USING btree ("conversation_id") WHERE not "messages"."is_answered";