CREATE TABLE "campaign_contacts" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"campaign_id" uuid NOT NULL,
	"position" bigserial NOT NULL,
	"to_number" text NOT NULL,
	"variables" jsonb NOT NULL,
	"timezone" text NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"outcome" text,
	"attempts" integer DEFAULT 0 NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	"call_id" uuid,
	"last_attempt_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "campaigns" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"organization_id" uuid NOT NULL,
	"name" text NOT NULL,
	"status" text DEFAULT 'draft' NOT NULL,
	"status_reason" text,
	"status_detail" text,
	"agent_id" uuid NOT NULL,
	"agent_name" text NOT NULL,
	"from_number" text NOT NULL,
	"environment" text,
	"start_at" timestamp (3) with time zone,
	"calling_window" jsonb,
	"retry_policy" jsonb NOT NULL,
	"max_concurrency" integer NOT NULL,
	"calls_per_second" double precision NOT NULL,
	"default_variables" jsonb NOT NULL,
	"next_dial_at" timestamp (3) with time zone,
	"contact_counts" jsonb NOT NULL,
	"outcome_counts" jsonb NOT NULL,
	"timezones" text[] NOT NULL,
	"recent_failures" boolean[] NOT NULL,
	"started_at" timestamp (3) with time zone,
	"completed_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "calls" ADD COLUMN "campaign_id" uuid;--> statement-breakpoint
ALTER TABLE "calls" ADD COLUMN "campaign_contact_id" uuid;--> statement-breakpoint
ALTER TABLE "calls" ADD COLUMN "dialed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "campaign_contacts" ADD CONSTRAINT "campaign_contacts_campaign_id_campaigns_id_fk" FOREIGN KEY ("campaign_id") REFERENCES "public"."campaigns"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "campaigns" ADD CONSTRAINT "campaigns_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "campaign_contacts_number" ON "campaign_contacts" USING btree ("campaign_id","to_number");--> statement-breakpoint
CREATE INDEX "campaign_contacts_position" ON "campaign_contacts" USING btree ("campaign_id","position");--> statement-breakpoint
CREATE INDEX "campaign_contacts_due" ON "campaign_contacts" USING btree ("campaign_id","timezone","due_at","position") WHERE "campaign_contacts"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "campaigns_organization" ON "campaigns" USING btree ("organization_id","created_at");--> statement-breakpoint
CREATE INDEX "campaigns_agent" ON "campaigns" USING btree ("agent_id");--> statement-breakpoint
CREATE INDEX "campaigns_dialing" ON "campaigns" USING btree ("id") WHERE "campaigns"."status" in ('scheduled', 'running');--> statement-breakpoint
CREATE INDEX "calls_campaign" ON "calls" USING btree ("campaign_id","created_at") WHERE "calls"."campaign_id" is not null;--> statement-breakpoint
CREATE INDEX "calls_campaign_contact" ON "calls" USING btree ("campaign_contact_id") WHERE "calls"."campaign_contact_id" is not null;--> statement-breakpoint
CREATE INDEX "calls_dialed" ON "calls" USING btree ("organization_id","to_number","dialed_at") WHERE "calls"."dialed_at" is not null;