CREATE TABLE "agent_environments" (
	"agent_id" uuid NOT NULL,
	"name" text NOT NULL,
	"revision" integer,
	"variables" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "agent_environments_agent_id_name_pk" PRIMARY KEY("agent_id","name")
);
--> statement-breakpoint
CREATE TABLE "agent_versions" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"organization_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"revision" integer NOT NULL,
	"kind" text NOT NULL,
	"actor" jsonb NOT NULL,
	"changed_fields" jsonb NOT NULL,
	"snapshot" jsonb NOT NULL,
	"publish_mode" text NOT NULL,
	"published_revision" integer,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "agent_versions_revision" UNIQUE("agent_id","revision")
);
--> statement-breakpoint
CREATE TABLE "folders" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"organization_id" uuid NOT NULL,
	"name" text NOT NULL,
	"color" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "agents" DROP CONSTRAINT "agents_sip_trunk_id_sip_trunks_id_fk";
--> statement-breakpoint
-- Status, trunk and numbers become part of the document.
UPDATE "agents" SET "document" = "document" || jsonb_build_object(
	'status', "status",
	'sipTrunkId', "sip_trunk_id",
	'folderId', null,
	'phoneNumbers', coalesce((
		SELECT jsonb_agg(jsonb_build_object(
			'id', "phone_numbers"."id",
			'e164', "phone_numbers"."e164",
			'environment', null,
			'createdAt', to_char("phone_numbers"."created_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
			'updatedAt', to_char("phone_numbers"."updated_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
		) ORDER BY "phone_numbers"."created_at", "phone_numbers"."id")
		FROM "phone_numbers" WHERE "phone_numbers"."agent_id" = "agents"."id"
	), '[]'::jsonb)
);
--> statement-breakpoint
ALTER TABLE "agents" ALTER COLUMN "status" DROP DEFAULT;--> statement-breakpoint
ALTER TABLE "agents" drop column "status";--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "status" text GENERATED ALWAYS AS (document->>'status') STORED NOT NULL;--> statement-breakpoint
ALTER TABLE "agents" drop column "sip_trunk_id";--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "sip_trunk_id" uuid GENERATED ALWAYS AS ((document->>'sipTrunkId')::uuid) STORED;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "revision" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "publish_mode" text DEFAULT 'auto' NOT NULL;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "published_revision" integer;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "has_unpublished_changes" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "widget_key" text DEFAULT 'wk_' || replace(gen_random_uuid()::text, '-', '') NOT NULL;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "folder_id" uuid GENERATED ALWAYS AS ((document->>'folderId')::uuid) STORED;--> statement-breakpoint
-- The defaults were for the agents that there were.
ALTER TABLE "agents" ALTER COLUMN "revision" DROP DEFAULT, ALTER COLUMN "publish_mode" DROP DEFAULT, ALTER COLUMN "widget_key" DROP DEFAULT;--> statement-breakpoint
INSERT INTO "agent_versions" ("organization_id", "agent_id", "revision", "kind", "actor", "changed_fields", "snapshot", "publish_mode", "created_at")
	SELECT "organization_id", "id", 1, 'created', '{"type": "system", "name": "migration"}', '["name"]', "document", 'auto', "created_at" FROM "agents";--> statement-breakpoint
CREATE INDEX "agents_sip_trunk" ON "agents" USING btree ("sip_trunk_id");--> statement-breakpoint
ALTER TABLE "conversations" ADD COLUMN "agent_revision" integer;--> statement-breakpoint
ALTER TABLE "conversations" ADD COLUMN "configuration_revision" integer;--> statement-breakpoint
ALTER TABLE "conversations" ADD COLUMN "environment" text;--> statement-breakpoint
ALTER TABLE "phone_numbers" ADD COLUMN "environment" text;--> statement-breakpoint
ALTER TABLE "agent_environments" ADD CONSTRAINT "agent_environments_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agent_versions" ADD CONSTRAINT "agent_versions_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "folders" ADD CONSTRAINT "folders_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "folders_organization" ON "folders" USING btree ("organization_id","created_at");--> statement-breakpoint
ALTER TABLE "agents" ADD CONSTRAINT "agents_folder_id_folders_id_fk" FOREIGN KEY ("folder_id") REFERENCES "public"."folders"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agents" ADD CONSTRAINT "agents_sip_trunk_id_sip_trunks_id_fk" FOREIGN KEY ("sip_trunk_id") REFERENCES "public"."sip_trunks"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "agents_folder" ON "agents" USING btree ("folder_id");--> statement-breakpoint
ALTER TABLE "agents" ADD CONSTRAINT "agents_widget_key_unique" UNIQUE("widget_key");