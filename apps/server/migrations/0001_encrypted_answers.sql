CREATE TABLE "bootstrap_keys" (
	"hash" text PRIMARY KEY NOT NULL
);
--> statement-breakpoint
-- Stored answers are in clear, and SQL cannot encrypt them.
DELETE FROM "idempotency_keys";--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD COLUMN "encrypted_body" text;--> statement-breakpoint
ALTER TABLE "idempotency_keys" DROP COLUMN "body";