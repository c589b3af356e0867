import { integer, pgTable, text } from "drizzle-orm/pg-core";
import { instant } from "../../platform/database/columns.ts";
import type { NodeState } from "./nodes.rules.ts";

/** The nodes that run, as each of them tells again and again. One that falls silent is deleted, with what it held. */
export const nodes = pgTable("nodes", {
  /** New at every start. */
  id: text("id").primaryKey(),
  httpAddress: text("http_address").notNull(),
  sipAddress: text("sip_address").notNull(),
  state: text("state").$type<NodeState>().notNull(),
  callsHeld: integer("calls_held").notNull(),
  /** How many calls more it could take. */
  freePlaces: integer("free_places").notNull(),
  startedAt: instant("started_at").notNull(),
  beatAt: instant("beat_at").notNull(),
});
