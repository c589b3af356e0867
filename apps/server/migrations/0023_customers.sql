CREATE TABLE "customers" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"organization_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"user_id" text,
	"conversation_id" uuid,
	"message_count" integer DEFAULT 0 NOT NULL,
	"counted_since" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "customers_user" UNIQUE("agent_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "widget_secrets" (
	"agent_id" uuid PRIMARY KEY NOT NULL,
	"encrypted_secret" text NOT NULL,
	"last4" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "conversations" ADD COLUMN "customer_id" uuid;--> statement-breakpoint
ALTER TABLE "conversations" ADD COLUMN "continues_id" uuid;--> statement-breakpoint
ALTER TABLE "customers" ADD CONSTRAINT "customers_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "widget_secrets" ADD CONSTRAINT "widget_secrets_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "customers_organization" ON "customers" USING btree ("organization_id","created_at");--> statement-breakpoint
CREATE INDEX "conversations_customer" ON "conversations" USING btree ("customer_id","created_at");