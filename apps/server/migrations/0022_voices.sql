CREATE TABLE "voices" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"organization_id" uuid NOT NULL,
	"display_name" text NOT NULL,
	"language" text NOT NULL,
	"status" text NOT NULL,
	"status_reason" text,
	"is_approximation" boolean NOT NULL,
	"provider" text,
	"spoken_voice_id" text,
	"object_key" text NOT NULL,
	"warnings" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "audit_log" ADD COLUMN "detail" text;--> statement-breakpoint
ALTER TABLE "voices" ADD CONSTRAINT "voices_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "voices_organization" ON "voices" USING btree ("organization_id","created_at");--> statement-breakpoint
CREATE INDEX "voices_spoken" ON "voices" USING btree ("spoken_voice_id");