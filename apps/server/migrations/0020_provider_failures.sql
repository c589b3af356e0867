CREATE TABLE "provider_failures" (
	"call_id" uuid NOT NULL,
	"id" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"part" text NOT NULL,
	"provider" text NOT NULL,
	"kind" text NOT NULL,
	"message" text NOT NULL,
	"taken_over_by" text,
	CONSTRAINT "provider_failures_call_id_id_pk" PRIMARY KEY("call_id","id")
);
--> statement-breakpoint
ALTER TABLE "provider_failures" ADD CONSTRAINT "provider_failures_call_id_calls_id_fk" FOREIGN KEY ("call_id") REFERENCES "public"."calls"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "provider_failures_at" ON "provider_failures" USING btree ("at");