import type { SipTrunkHealth } from "@parley/contract";
import { boolean, index, jsonb, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { createdAt, instant, primaryId, updatedAt } from "../../platform/database/columns.ts";
import { organizations } from "../organizations/organizations.tables.ts";

export const sipTrunks = pgTable(
  "sip_trunks",
  {
    id: primaryId(),
    organizationId: uuid("organization_id")
      .notNull()
      .references(() => organizations.id, { onDelete: "cascade" }),
    friendlyName: text("friendly_name").notNull(),
    proxyAddress: text("proxy_address"),
    transport: text("transport", { enum: ["udp", "tcp", "tls"] }),
    allowedAddresses: jsonb("allowed_addresses").$type<string[]>().notNull().default([]),
    username: text("username"),
    encryptedPassword: text("encrypted_password"),
    isInboundAuthenticated: boolean("is_inbound_authenticated").notNull().default(false),
    isRegistrationRequired: boolean("is_registration_required").notNull().default(false),
    isSrtpRequired: boolean("is_srtp_required").notNull().default(false),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [index("sip_trunks_organization").on(table.organizationId, table.createdAt)],
);

/** Observed state of each trunk, with the node that monitors it and the end of its lease. */
export const sipTrunkMonitors = pgTable("sip_trunk_monitors", {
  sipTrunkId: uuid("sip_trunk_id")
    .primaryKey()
    .references(() => sipTrunks.id, { onDelete: "cascade" }),
  nodeId: uuid("node_id").notNull(),
  leaseUntil: instant("lease_until").notNull(),
  /** `null` until the first result. */
  health: jsonb("health").$type<SipTrunkHealth>(),
  /** URIs that requests pass after the proxy, as returned by its registrar (RFC 3608). */
  serviceRoutes: text("service_routes").array().notNull().default([]),
});
