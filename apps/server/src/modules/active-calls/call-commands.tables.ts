import { sql } from "drizzle-orm";
import { index, jsonb, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { instant, primaryId } from "../../platform/database/columns.ts";
import { calls } from "../calls/calls.tables.ts";
import type { CallCommand, CallCommandAnswer } from "./call-command.ts";

/** What is asked of a call that another node holds, and what came of it. Short-lived: whoever asked deletes it. */
export const callCommands = pgTable(
  "call_commands",
  {
    id: primaryId(),
    callId: uuid("call_id")
      .notNull()
      .references(() => calls.id, { onDelete: "cascade" }),
    /** Who is to carry it out. */
    nodeId: text("node_id").notNull(),
    command: jsonb("command").$type<CallCommand>().notNull(),
    /** From then on nobody begins with it. */
    deadlineAt: instant("deadline_at").notNull(),
    /** Null: nobody has begun with it. */
    takenAt: instant("taken_at"),
    answer: text("answer").$type<CallCommandAnswer>(),
  },
  (table) => [
    index("call_commands_open")
      .on(table.nodeId)
      .where(sql`${table.takenAt} is null`),
  ],
);
