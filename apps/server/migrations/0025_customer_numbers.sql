ALTER TABLE "customers" ADD COLUMN "phone_number" text;--> statement-breakpoint
ALTER TABLE "customers" ADD COLUMN "is_active" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "customers" ADD CONSTRAINT "customers_number" UNIQUE("agent_id","phone_number");