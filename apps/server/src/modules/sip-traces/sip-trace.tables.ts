import { bigint, customType, index, integer, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { instant } from "../../platform/database/columns.ts";
import { calls } from "../calls/calls.tables.ts";

const bytea = customType<{ data: Buffer }>({ dataType: () => "bytea" });

/** The SIP messages of a call, with secrets masked. */
export const sipTraceMessages = pgTable(
  "sip_trace_messages",
  {
    /** Increases in the order of the messages. */
    id: bigint("id", { mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    callId: uuid("call_id")
      .notNull()
      .references(() => calls.id, { onDelete: "cascade" }),
    at: instant("at").notNull(),
    direction: text("direction").$type<"received" | "sent">().notNull(),
    transport: text("transport").$type<"UDP" | "TCP" | "TLS">().notNull(),
    localAddress: text("local_address").notNull(),
    localPort: integer("local_port").notNull(),
    peerAddress: text("peer_address").notNull(),
    peerPort: integer("peer_port").notNull(),
    data: bytea("data").notNull(),
  },
  (table) => [
    index("sip_trace_messages_call").on(table.callId, table.id),
    index("sip_trace_messages_at").on(table.at),
  ],
);
