import type { MessageTrace } from "@parley/sip";
import type { Logger } from "pino";
import type { Database } from "../../platform/database/database.ts";
import { maskSecrets, sipCallIdOf } from "./call-trace.rules.ts";
import * as store from "./call-trace.store.ts";

const FLUSH_INTERVAL_MS = 1_000;
/** A call's record is written soon after its INVITE came; what belongs to none by then is let go. */
const UNCLAIMED_MS = 30_000;
/** After its last message a call is forgotten here; one that comes later finds it again. */
const IDLE_MS = 120_000;
const MAX_CALL_IDS = 5_000;
const MAX_MESSAGES_PER_CALL = 500;
const MAX_BYTES_PER_CALL = 1024 * 1024;
const MAX_WAITING_BYTES = 32 * 1024 * 1024;
/** Rows of one statement; PostgreSQL takes 65,535 values. */
const MAX_ROWS = 1_000;

type Message = Omit<store.TraceMessageInsert, "callId">;

/** What is known of one SIP Call-ID. */
interface Traced {
  firstAtMs: number;
  lastAtMs: number;
  /** Ours; undefined while no call with it is written down. */
  callId: string | undefined;
  /** Not stored yet. */
  waiting: Message[];
  seenMessages: number;
  seenBytes: number;
}

export interface CallTraceRecorderOptions {
  database: Database;
  nodeId: string;
  logger: Logger;
  now?: () => Date;
}

/**
 * Keeps the SIP messages that belong to calls of this node, secrets masked. It is told of every message, holds it until
 * it knows whose it is, and writes once a second; nothing waits for it. Of one call it keeps the first 500 messages and
 * the first MiB.
 */
export class CallTraceRecorder {
  readonly #options: CallTraceRecorderOptions;
  readonly #now: () => Date;
  readonly #bySipCallId = new Map<string, Traced>();
  #waitingBytes = 0;
  readonly #timer: NodeJS.Timeout;
  #flushing: Promise<void> = Promise.resolve();

  constructor(options: CallTraceRecorderOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => new Date());
    this.#timer = setInterval(() => void this.flush(), FLUSH_INTERVAL_MS);
  }

  observe({ direction, peer, local, data }: MessageTrace): void {
    // One character for each byte, so that nothing of what passed is lost.
    const text = data.toString("latin1");
    const sipCallId = sipCallIdOf(text);
    if (sipCallId === undefined || this.#waitingBytes + data.length > MAX_WAITING_BYTES) return;
    const at = this.#now();
    const traced = this.#bySipCallId.get(sipCallId) ?? this.#add(sipCallId, at.getTime());
    if (traced === undefined) return;
    traced.lastAtMs = at.getTime();
    if (traced.seenMessages >= MAX_MESSAGES_PER_CALL || traced.seenBytes + data.length > MAX_BYTES_PER_CALL)
      return;
    traced.seenMessages += 1;
    traced.seenBytes += data.length;
    this.#waitingBytes += data.length;
    traced.waiting.push({
      at,
      direction: direction === "in" ? "received" : "sent",
      transport: peer.protocol,
      localAddress: local.address,
      localPort: local.port,
      peerAddress: peer.address,
      peerPort: peer.port,
      data: Buffer.from(maskSecrets(text), "latin1"),
    });
  }

  #add(sipCallId: string, nowMs: number): Traced | undefined {
    // Beyond this it is a flood, and those that are known are worth more.
    if (this.#bySipCallId.size >= MAX_CALL_IDS) return undefined;
    const traced: Traced = {
      firstAtMs: nowMs,
      lastAtMs: nowMs,
      callId: undefined,
      waiting: [],
      seenMessages: 0,
      seenBytes: 0,
    };
    this.#bySipCallId.set(sipCallId, traced);
    return traced;
  }

  /** Writes what waits for calls that are known by now. Never rejects; what could not be written is tried again. */
  flush(): Promise<void> {
    this.#flushing = this.#flushing
      .then(() => this.#flush())
      .catch((error: unknown) =>
        this.#options.logger.warn({ err: error }, "SIP messages could not be written to their calls' traces"),
      );
    return this.#flushing;
  }

  async #flush(): Promise<void> {
    await this.#findCalls();
    for (;;) {
      const { rows, taken } = this.#nextRows();
      if (rows.length === 0) break;
      await store.insertMessages(this.#options.database, rows);
      for (const [traced, count] of taken) this.#drop(traced, count);
    }
    this.#forget();
  }

  /** What goes into the next statement, and how many messages of whom that are. */
  #nextRows(): { rows: store.TraceMessageInsert[]; taken: Map<Traced, number> } {
    const rows: store.TraceMessageInsert[] = [];
    const taken = new Map<Traced, number>();
    for (const traced of this.#bySipCallId.values()) {
      const { callId } = traced;
      if (callId === undefined) continue;
      const messages = traced.waiting.slice(0, MAX_ROWS - rows.length);
      rows.push(...messages.map((message) => ({ ...message, callId })));
      taken.set(traced, messages.length);
    }
    return { rows, taken };
  }

  async #findCalls(): Promise<void> {
    const unknown = [...this.#bySipCallId].filter(([, { callId }]) => callId === undefined);
    if (unknown.length === 0) return;
    const found = await store.findCallsBySipCallId(
      this.#options.database,
      this.#options.nodeId,
      unknown.map(([sipCallId]) => sipCallId),
    );
    for (const [sipCallId, traced] of unknown) traced.callId = found.get(sipCallId);
  }

  #forget(): void {
    const nowMs = this.#now().getTime();
    for (const [sipCallId, traced] of this.#bySipCallId) {
      const isExpired =
        traced.callId === undefined
          ? nowMs - traced.firstAtMs > UNCLAIMED_MS
          : nowMs - traced.lastAtMs > IDLE_MS && traced.waiting.length === 0;
      if (!isExpired) continue;
      this.#drop(traced, traced.waiting.length);
      this.#bySipCallId.delete(sipCallId);
    }
  }

  #drop(traced: Traced, messages: number): void {
    for (const { data } of traced.waiting.splice(0, messages)) this.#waitingBytes -= data.length;
  }

  /** Writes what is left. Idempotent; call it while the database is still there. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }
}
