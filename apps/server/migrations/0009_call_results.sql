ALTER TABLE "calls" ADD COLUMN "is_test" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "calls" ADD COLUMN "recording_status" text;--> statement-breakpoint
ALTER TABLE "calls" ADD COLUMN "analysis_status" text;--> statement-breakpoint
ALTER TABLE "calls" ADD COLUMN "extraction" jsonb;--> statement-breakpoint
ALTER TABLE "calls" ADD COLUMN "evaluation" jsonb;