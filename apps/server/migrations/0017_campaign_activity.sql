CREATE TABLE "campaign_activity" (
	"campaign_id" uuid NOT NULL,
	"starts_at" timestamp (3) with time zone NOT NULL,
	"outcome" text NOT NULL,
	"attempts" integer NOT NULL,
	"contacts_done" integer NOT NULL,
	CONSTRAINT "campaign_activity_campaign_id_starts_at_outcome_pk" PRIMARY KEY("campaign_id","starts_at","outcome")
);
--> statement-breakpoint
ALTER TABLE "campaign_activity" ADD CONSTRAINT "campaign_activity_campaign_id_campaigns_id_fk" FOREIGN KEY ("campaign_id") REFERENCES "public"."campaigns"("id") ON DELETE cascade ON UPDATE no action;