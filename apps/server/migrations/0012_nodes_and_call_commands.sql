CREATE TABLE "call_commands" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"call_id" uuid NOT NULL,
	"node_id" text NOT NULL,
	"command" jsonb NOT NULL,
	"deadline_at" timestamp (3) with time zone NOT NULL,
	"taken_at" timestamp (3) with time zone,
	"answer" text
);
--> statement-breakpoint
CREATE TABLE "nodes" (
	"id" text PRIMARY KEY NOT NULL,
	"http_address" text NOT NULL,
	"sip_address" text NOT NULL,
	"state" text NOT NULL,
	"calls_held" integer NOT NULL,
	"free_places" integer NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"beat_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "call_commands" ADD CONSTRAINT "call_commands_call_id_calls_id_fk" FOREIGN KEY ("call_id") REFERENCES "public"."calls"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "call_commands_open" ON "call_commands" USING btree ("node_id") WHERE "call_commands"."taken_at" is null;