import { sql } from "drizzle-orm";
import { index, jsonb, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { instant, primaryId } from "../../platform/database/columns.ts";
import { calls } from "../calls/calls.tables.ts";
import type { CallCommand, CallCommandAnswer } from "./call-command.ts";

/** Commands for calls of other nodes, and their answers. Short-lived: the sender deletes them. */
export const callCommands = pgTable(
  "call_commands",
  {
    id: primaryId(),
    callId: uuid("call_id")
      .notNull()
      .references(() => calls.id, { onDelete: "cascade" }),
    /** The node that carries out the command. */
    nodeId: text("node_id").notNull(),
    command: jsonb("command").$type<CallCommand>().notNull(),
    /** The command cannot be claimed after this time. */
    deadlineAt: instant("deadline_at").notNull(),
    /** Null until a node claims the command. */
    takenAt: instant("taken_at"),
    answer: text("answer").$type<CallCommandAnswer>(),
  },
  (table) => [
    index("call_commands_open")
      .on(table.nodeId)
      .where(sql`${table.takenAt} is null`),
  ],
);
