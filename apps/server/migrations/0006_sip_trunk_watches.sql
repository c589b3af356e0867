CREATE TABLE "sip_trunk_watches" (
	"sip_trunk_id" uuid PRIMARY KEY NOT NULL,
	"node_id" uuid NOT NULL,
	"lease_until" timestamp (3) with time zone NOT NULL,
	"health" jsonb
);
--> statement-breakpoint
ALTER TABLE "sip_trunks" ADD COLUMN "is_registration_required" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "sip_trunk_watches" ADD CONSTRAINT "sip_trunk_watches_sip_trunk_id_sip_trunks_id_fk" FOREIGN KEY ("sip_trunk_id") REFERENCES "public"."sip_trunks"("id") ON DELETE cascade ON UPDATE no action;