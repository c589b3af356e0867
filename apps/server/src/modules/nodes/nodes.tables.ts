import { integer, pgTable, real, text } from "drizzle-orm/pg-core";
import { instant } from "../../platform/database/columns.ts";
import type { NodeState } from "./nodes.rules.ts";

/** Running nodes, as of their last beat. A silent node is deleted, and its calls are closed. */
export const nodes = pgTable("nodes", {
  /** New at every start. */
  id: text("id").primaryKey(),
  httpAddress: text("http_address").notNull(),
  sipAddress: text("sip_address").notNull(),
  state: text("state").$type<NodeState>().notNull(),
  activeCalls: integer("active_calls").notNull(),
  /** Number of calls that the node can still take. */
  freePlaces: integer("free_places").notNull(),
  /** Average of the last minute, per processor. Null: the node has an earlier version. */
  processorLoad: real("processor_load"),
  /** Null: the node has an earlier version. */
  version: text("version"),
  startedAt: instant("started_at").notNull(),
  beatAt: instant("beat_at").notNull(),
});
