ALTER TABLE "nodes" RENAME COLUMN "calls_held" TO "active_calls";--> statement-breakpoint
ALTER TABLE "sip_trunk_watches" RENAME TO "sip_trunk_monitors";--> statement-breakpoint
ALTER TABLE "sip_trunk_monitors" RENAME CONSTRAINT "sip_trunk_watches_pkey" TO "sip_trunk_monitors_pkey";--> statement-breakpoint
ALTER TABLE "sip_trunk_monitors" RENAME CONSTRAINT "sip_trunk_watches_sip_trunk_id_sip_trunks_id_fk" TO "sip_trunk_monitors_sip_trunk_id_sip_trunks_id_fk";
