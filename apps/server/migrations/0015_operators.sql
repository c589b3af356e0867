ALTER TABLE "audit_log" ALTER COLUMN "organization_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "audit_log" ALTER COLUMN "actor_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "nodes" ADD COLUMN "processor_load" real;--> statement-breakpoint
ALTER TABLE "nodes" ADD COLUMN "version" text;--> statement-breakpoint
CREATE INDEX "audit_log_operators" ON "audit_log" USING btree ("created_at") WHERE "audit_log"."actor_type" = 'operator';