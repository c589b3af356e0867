CREATE TABLE "message_senders" (
	"messaging_connection_id" uuid NOT NULL,
	"number" text NOT NULL,
	"next_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "message_senders_messaging_connection_id_number_pk" PRIMARY KEY("messaging_connection_id","number")
);
--> statement-breakpoint
CREATE TABLE "message_threads" (
	"messaging_connection_id" uuid NOT NULL,
	"own_number" text NOT NULL,
	"other_number" text NOT NULL,
	"organization_id" uuid NOT NULL,
	"agent_id" uuid,
	"conversation_id" uuid,
	"last_message_at" timestamp (3) with time zone NOT NULL,
	"opted_out_at" timestamp (3) with time zone,
	CONSTRAINT "message_threads_pk" PRIMARY KEY("messaging_connection_id","own_number","other_number")
);
--> statement-breakpoint
CREATE TABLE "messages" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"sequence" bigint GENERATED ALWAYS AS IDENTITY (sequence name "messages_sequence_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"organization_id" uuid NOT NULL,
	"agent_id" uuid,
	"messaging_connection_id" uuid NOT NULL,
	"call_id" uuid,
	"conversation_id" uuid,
	"direction" text NOT NULL,
	"from_number" text NOT NULL,
	"to_number" text NOT NULL,
	"body" text NOT NULL,
	"media" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"status" text NOT NULL,
	"provider_message_id" text,
	"generated_by_llm" boolean DEFAULT false NOT NULL,
	"error_code" integer,
	"error_message" text,
	"due_at" timestamp (3) with time zone,
	"attempts" integer DEFAULT 0 NOT NULL,
	"requested_at" timestamp (3) with time zone,
	"claimed_until" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "messaging_connections" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"organization_id" uuid NOT NULL,
	"friendly_name" text NOT NULL,
	"account_sid" text NOT NULL,
	"encrypted_auth_token" text NOT NULL,
	"messaging_service_sid" text,
	"messages_per_second" integer DEFAULT 10 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "messaging_connection_id" uuid GENERATED ALWAYS AS ((document->>'messagingConnectionId')::uuid) STORED;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "messaging_number" text GENERATED ALWAYS AS (document->'messagingConfig'->>'fromNumber') STORED;--> statement-breakpoint
ALTER TABLE "message_threads" ADD CONSTRAINT "message_threads_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "messages" ADD CONSTRAINT "messages_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "messaging_connections" ADD CONSTRAINT "messaging_connections_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "message_threads_conversation" ON "message_threads" USING btree ("conversation_id");--> statement-breakpoint
CREATE UNIQUE INDEX "messages_provider" ON "messages" USING btree ("messaging_connection_id","provider_message_id");--> statement-breakpoint
CREATE INDEX "messages_organization" ON "messages" USING btree ("organization_id","created_at");--> statement-breakpoint
CREATE INDEX "messages_conversation" ON "messages" USING btree ("conversation_id","created_at");--> statement-breakpoint
CREATE INDEX "messages_due" ON "messages" USING btree ("due_at") WHERE "messages"."due_at" is not null;--> statement-breakpoint
CREATE INDEX "messages_waiting" ON "messages" USING btree ("messaging_connection_id","from_number","to_number","sequence") WHERE "messages"."due_at" is not null;--> statement-breakpoint
CREATE INDEX "messaging_connections_organization" ON "messaging_connections" USING btree ("organization_id","created_at");--> statement-breakpoint
ALTER TABLE "agents" ADD CONSTRAINT "agents_messaging_connection_id_messaging_connections_id_fk" FOREIGN KEY ("messaging_connection_id") REFERENCES "public"."messaging_connections"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "agents_messaging_number" ON "agents" USING btree ("messaging_connection_id","messaging_number");