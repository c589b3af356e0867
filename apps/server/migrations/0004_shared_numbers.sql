ALTER TABLE "phone_numbers" DROP CONSTRAINT "phone_numbers_e164_unique";--> statement-breakpoint
CREATE UNIQUE INDEX "phone_numbers_e164" ON "phone_numbers" USING btree ("e164","organization_id");