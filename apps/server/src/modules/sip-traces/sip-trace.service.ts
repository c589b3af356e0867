import type { SipTrace } from "@parley/contract";
import type { Database } from "../../platform/database/database.ts";
import { type PcapMessage, writePcap } from "./sip-trace.pcap.ts";
import * as store from "./sip-trace.store.ts";
import type { CallsService } from "../calls/calls.service.ts";

const DAY_MS = 86_400_000;

/** Reads the SIP messages and network events of a call, for the analysis of faults. */
export class SipTracesService {
  readonly #database: Database;

  readonly #calls: Pick<CallsService, "describe">;

  constructor(database: Database, calls: Pick<CallsService, "describe">) {
    this.#database = database;
    this.#calls = calls;
  }

  async get(organizationId: string, callId: string): Promise<SipTrace> {
    const { quality } = await this.#calls.describe(organizationId, callId);
    const rows = await store.listMessages(this.#database, callId);
    return { callId, messages: rows.map(present), media: quality };
  }

  async getPcap(organizationId: string, callId: string): Promise<Buffer> {
    await this.#calls.describe(organizationId, callId);
    const rows = await store.listMessages(this.#database, callId);
    return writePcap(rows.map(toPcapMessage));
  }

  /** Deletes messages older than this number of days. */
  async deleteExpired(days: number, now: Date): Promise<void> {
    await store.deleteBefore(this.#database, new Date(now.getTime() - days * DAY_MS));
  }
}

function present(row: store.TraceMessageRow): SipTrace["messages"][number] {
  return {
    at: row.at.toISOString(),
    direction: row.direction,
    transport: row.transport,
    local: { address: row.localAddress, port: row.localPort },
    peer: { address: row.peerAddress, port: row.peerPort },
    text: row.data.toString("utf8"),
  };
}

function toPcapMessage(row: store.TraceMessageRow): PcapMessage {
  const local = { address: row.localAddress, port: row.localPort };
  const peer = { address: row.peerAddress, port: row.peerPort };
  const [from, to] = row.direction === "sent" ? [local, peer] : [peer, local];
  return { at: row.at, from, to, data: row.data };
}
