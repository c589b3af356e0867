CREATE TABLE "webhook_signing_secrets" (
	"organization_id" uuid PRIMARY KEY NOT NULL,
	"secret" text NOT NULL,
	"last4" text NOT NULL,
	"previous_secret" text,
	"previous_until" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "webhook_signing_secrets" ADD CONSTRAINT "webhook_signing_secrets_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;