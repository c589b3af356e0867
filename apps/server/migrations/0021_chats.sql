CREATE TABLE "chats" (
	"conversation_id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"visitor_id" uuid,
	"last_message_at" timestamp (3) with time zone NOT NULL,
	"input_count" integer DEFAULT 0 NOT NULL,
	"reply_due_at" timestamp (3) with time zone,
	"reply_attempts" integer DEFAULT 0 NOT NULL,
	"claim_id" uuid,
	"claimed_until" timestamp (3) with time zone,
	CONSTRAINT "chats_visitor_id_unique" UNIQUE("visitor_id")
);
--> statement-breakpoint
ALTER TABLE "conversations" ADD COLUMN "is_test" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "conversations" ADD COLUMN "ended_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "conversations" ADD COLUMN "end_reason" text;--> statement-breakpoint
ALTER TABLE "chats" ADD CONSTRAINT "chats_conversation_id_conversations_id_fk" FOREIGN KEY ("conversation_id") REFERENCES "public"."conversations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "chats_due" ON "chats" USING btree ("reply_due_at") WHERE "chats"."reply_due_at" is not null;--> statement-breakpoint
CREATE INDEX "chats_last_message" ON "chats" USING btree ("last_message_at");