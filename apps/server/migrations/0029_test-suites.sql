CREATE TABLE "test_attempts" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"organization_id" uuid NOT NULL,
	"run_id" uuid NOT NULL,
	"test_case_id" uuid NOT NULL,
	"attempt_number" integer NOT NULL,
	"position" integer NOT NULL,
	"mode" text NOT NULL,
	"result" text,
	"reasoning" text,
	"evidence" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"assertions" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"end_reason" text,
	"conversation_id" uuid,
	"call_id" uuid,
	"inbound_call_id" uuid,
	"due_at" timestamp (3) with time zone NOT NULL,
	"claim_id" uuid,
	"claimed_until" timestamp (3) with time zone,
	"lost_claims" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp (3) with time zone,
	"completed_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "test_cases" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"test_suite_id" uuid NOT NULL,
	"position" bigserial NOT NULL,
	"name" text NOT NULL,
	"definition" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "test_run_cases" (
	"run_id" uuid NOT NULL,
	"test_case_id" uuid NOT NULL,
	"position" integer NOT NULL,
	"name" text NOT NULL,
	"definition" jsonb NOT NULL,
	"variables" jsonb NOT NULL,
	CONSTRAINT "test_run_cases_run_id_test_case_id_pk" PRIMARY KEY("run_id","test_case_id")
);
--> statement-breakpoint
CREATE TABLE "test_runs" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"organization_id" uuid NOT NULL,
	"test_suite_id" uuid NOT NULL,
	"name" text NOT NULL,
	"status" text NOT NULL,
	"mode" text NOT NULL,
	"environment" text,
	"variables" jsonb NOT NULL,
	"agent_id" uuid NOT NULL,
	"agent_revision" integer,
	"configuration_revision" integer NOT NULL,
	"tester_model" text NOT NULL,
	"judge_model" text NOT NULL,
	"max_turns" integer NOT NULL,
	"max_duration_seconds" integer NOT NULL,
	"total_tests" integer NOT NULL,
	"passed_tests" integer DEFAULT 0 NOT NULL,
	"failed_tests" integer DEFAULT 0 NOT NULL,
	"total_attempts" integer NOT NULL,
	"completed_attempts" integer DEFAULT 0 NOT NULL,
	"started_at" timestamp (3) with time zone,
	"completed_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "test_suites" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"organization_id" uuid NOT NULL,
	"name" text NOT NULL,
	"agent_id" uuid NOT NULL,
	"mode" text NOT NULL,
	"default_variables" jsonb NOT NULL,
	"tester_model" text NOT NULL,
	"judge_model" text NOT NULL,
	"max_turns" integer NOT NULL,
	"max_duration_seconds" integer NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "test_attempts" ADD CONSTRAINT "test_attempts_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "test_attempts" ADD CONSTRAINT "test_attempts_run_id_test_runs_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."test_runs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "test_cases" ADD CONSTRAINT "test_cases_test_suite_id_test_suites_id_fk" FOREIGN KEY ("test_suite_id") REFERENCES "public"."test_suites"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "test_run_cases" ADD CONSTRAINT "test_run_cases_run_id_test_runs_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."test_runs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "test_runs" ADD CONSTRAINT "test_runs_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "test_runs" ADD CONSTRAINT "test_runs_test_suite_id_test_suites_id_fk" FOREIGN KEY ("test_suite_id") REFERENCES "public"."test_suites"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "test_suites" ADD CONSTRAINT "test_suites_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "test_attempts_number" ON "test_attempts" USING btree ("run_id","test_case_id","attempt_number");--> statement-breakpoint
CREATE INDEX "test_attempts_conversation" ON "test_attempts" USING btree ("conversation_id");--> statement-breakpoint
CREATE INDEX "test_attempts_open" ON "test_attempts" USING btree ("organization_id","due_at","position") WHERE "test_attempts"."result" is null;--> statement-breakpoint
CREATE INDEX "test_cases_suite" ON "test_cases" USING btree ("test_suite_id","position");--> statement-breakpoint
CREATE INDEX "test_runs_suite" ON "test_runs" USING btree ("test_suite_id","created_at");--> statement-breakpoint
CREATE INDEX "test_suites_organization" ON "test_suites" USING btree ("organization_id","created_at");