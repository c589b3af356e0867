CREATE TABLE "call_trace_messages" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "call_trace_messages_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"call_id" uuid NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"direction" text NOT NULL,
	"transport" text NOT NULL,
	"local_address" text NOT NULL,
	"local_port" integer NOT NULL,
	"peer_address" text NOT NULL,
	"peer_port" integer NOT NULL,
	"data" "bytea" NOT NULL
);
--> statement-breakpoint
ALTER TABLE "call_trace_messages" ADD CONSTRAINT "call_trace_messages_call_id_calls_id_fk" FOREIGN KEY ("call_id") REFERENCES "public"."calls"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "call_trace_messages_call" ON "call_trace_messages" USING btree ("call_id","id");--> statement-breakpoint
CREATE INDEX "call_trace_messages_at" ON "call_trace_messages" USING btree ("at");--> statement-breakpoint
CREATE INDEX "calls_sip_call_id" ON "calls" USING btree ("sip_call_id");