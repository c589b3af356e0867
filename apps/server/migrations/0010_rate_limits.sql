CREATE TABLE "rate_limits" (
	"organization_id" uuid NOT NULL,
	"name" text NOT NULL,
	"taken_at" timestamp (3) with time zone[] NOT NULL,
	CONSTRAINT "rate_limits_organization_id_name_pk" PRIMARY KEY("organization_id","name")
);
