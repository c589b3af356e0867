CREATE TABLE "attempt_limits" (
	"id" text PRIMARY KEY NOT NULL,
	"clear_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "attempt_limits_clear" ON "attempt_limits" USING btree ("clear_at");