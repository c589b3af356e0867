ALTER TABLE "webhook_events" DROP COLUMN "attempted_at";--> statement-breakpoint
ALTER TABLE "webhook_events" DROP COLUMN "answer_status";--> statement-breakpoint
ALTER TABLE "webhook_events" DROP COLUMN "answer";--> statement-breakpoint
ALTER TABLE "webhook_events" DROP COLUMN "problem";