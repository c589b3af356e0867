ALTER TABLE "webhook_events" ADD COLUMN "agent_id" uuid;--> statement-breakpoint
CREATE INDEX "webhook_events_agent" ON "webhook_events" USING btree ("agent_id","created_at");--> statement-breakpoint
UPDATE "webhook_events" SET "agent_id" = "calls"."agent_id" FROM "calls" WHERE "calls"."id" = "webhook_events"."subject_id";
