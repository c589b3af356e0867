ALTER TABLE "calls" ADD COLUMN "analysis_detail" text;--> statement-breakpoint
ALTER TABLE "organizations" ADD COLUMN "allowed_countries" text[];