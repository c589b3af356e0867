CREATE TABLE "conversation_failures" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"conversation_id" uuid NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"part" text NOT NULL,
	"provider" text NOT NULL,
	"kind" text NOT NULL,
	"message" text NOT NULL,
	"taken_over_by" text
);
--> statement-breakpoint
ALTER TABLE "conversation_failures" ADD CONSTRAINT "conversation_failures_conversation_id_conversations_id_fk" FOREIGN KEY ("conversation_id") REFERENCES "public"."conversations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "conversation_failures_conversation" ON "conversation_failures" USING btree ("conversation_id","at");--> statement-breakpoint
CREATE INDEX "conversation_failures_at" ON "conversation_failures" USING btree ("at");