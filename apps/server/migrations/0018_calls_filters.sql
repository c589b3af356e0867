CREATE INDEX "calls_from" ON "calls" USING btree ("organization_id","from_number","created_at");--> statement-breakpoint
CREATE INDEX "calls_to" ON "calls" USING btree ("organization_id","to_number","created_at");--> statement-breakpoint
CREATE INDEX "calls_status" ON "calls" USING btree ("organization_id","status","created_at");--> statement-breakpoint
CREATE INDEX "calls_end" ON "calls" USING btree ("organization_id","end_reason","created_at");--> statement-breakpoint
CREATE INDEX "calls_channel" ON "calls" USING btree ("organization_id","channel","created_at");--> statement-breakpoint
CREATE INDEX "calls_duration" ON "calls" USING btree ("organization_id","billable_seconds");--> statement-breakpoint
CREATE INDEX "calls_environment" ON "calls" USING btree ("organization_id","environment","created_at") WHERE "calls"."environment" is not null;--> statement-breakpoint
CREATE INDEX "calls_test" ON "calls" USING btree ("organization_id","created_at") WHERE "calls"."is_test";--> statement-breakpoint
CREATE INDEX "calls_trunk" ON "calls" USING btree ("sip_trunk_id","created_at") WHERE "calls"."sip_trunk_id" is not null;