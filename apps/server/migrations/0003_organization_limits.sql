DROP INDEX "calls_active";--> statement-breakpoint
ALTER TABLE "organizations" ADD COLUMN "home_country" text;--> statement-breakpoint
ALTER TABLE "organizations" ADD COLUMN "limits" jsonb DEFAULT '{}'::jsonb NOT NULL;--> statement-breakpoint
CREATE INDEX "calls_unended" ON "calls" USING btree ("organization_id") WHERE "calls"."ended_at" is null;