import type { MessageTrace } from "@parley/sip";
import type { Logger } from "pino";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import { isDatabaseAway } from "../../platform/database/database-away.ts";
import { maskSecrets, sipCallIdOf, storableSipCallId } from "./sip-trace.rules.ts";
import * as store from "./sip-trace.store.ts";

const FLUSH_INTERVAL_MS = 1_000;
/** A call is claimed soon after its INVITE; messages without a call are dropped after this time. */
const UNCLAIMED_MS = 30_000;
/** An ended call is traced for this long, because some messages follow its end. */
const ENDED_MS = 120_000;
/** Limit for all Call-IDs without a call. The oldest are dropped first: a call is claimed within a second. */
const MAX_UNCLAIMED_BYTES = 4 * 1024 * 1024;
const MAX_UNCLAIMED_CALL_IDS = 5_000;
/** Enough for two INVITEs and their challenge. Limits the share of one Call-ID in the memory above. */
const MAX_UNCLAIMED_BYTES_PER_CALL_ID = 256 * 1024;
const MAX_MESSAGES_PER_CALL = 500;
const MAX_BYTES_PER_CALL = 1024 * 1024;
const MAX_WAITING_BYTES = 32 * 1024 * 1024;
/** Rows per statement: PostgreSQL accepts 65,535 values, and masking must not block the process for long. */
const MAX_ROWS = 1_000;
const MAX_STATEMENT_BYTES = 1024 * 1024;

/** A message as it was sent. Secrets are masked when it is written to the database. */
type Message = Omit<store.TraceMessageInsert, "callId">;

/** State of one SIP Call-ID. */
interface Traced {
  firstAtMs: number;
  /** Id of our call; `undefined` until a call claims the Call-ID. */
  callId: string | undefined;
  endedAtMs: number | undefined;
  /** Messages that are not stored yet. */
  waiting: Message[];
  waitingBytes: number;
  seenMessages: number;
  seenBytes: number;
}

export interface SipTraceRecorderOptions {
  database: Database;
  logger: Logger;
  clock: Clock;
}

/**
 * Records the SIP messages of this node's calls, with secrets masked. It observes every message, keeps a
 * bounded number until a call claims their Call-ID, and writes once a second without delaying anything. A
 * call's trace ends after its first 500 messages or its first MiB.
 */
export class SipTraceRecorder {
  readonly #options: SipTraceRecorderOptions;
  readonly #clock: Clock;
  /** Oldest first. */
  readonly #unclaimed = new Map<string, Traced>();
  readonly #claimed = new Map<string, Traced>();
  #unclaimedBytes = 0;
  #claimedBytes = 0;
  readonly #timer: NodeJS.Timeout;
  #flushing: Promise<void> = Promise.resolve();

  constructor(options: SipTraceRecorderOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#timer = setInterval(() => void this.flush(), FLUSH_INTERVAL_MS);
  }

  /** Size of the messages that are not written yet. */
  get waitingBytes(): number {
    return this.#unclaimedBytes + this.#claimedBytes;
  }

  observe({ direction, peer, local, data }: MessageTrace): void {
    const sipCallId = sipCallIdOf(toText(data));
    if (sipCallId === undefined) return;
    const at = this.#clock.now();
    const key = storableSipCallId(sipCallId);
    const traced = this.#claimed.get(key) ?? this.#unclaimed.get(key) ?? this.#add(key, at.getTime());
    if (!this.#hasRoom(traced, data.length)) return;
    traced.seenMessages += 1;
    traced.seenBytes += data.length;
    traced.waitingBytes += data.length;
    traced.waiting.push({
      at,
      direction: direction === "in" ? "received" : "sent",
      transport: peer.protocol,
      localAddress: local.address,
      localPort: local.port,
      peerAddress: peer.address,
      peerPort: peer.port,
      // A copy: a small Buffer is a slice of a pool, and would keep all of it alive.
      data: Buffer.copyBytesFrom(data),
    });
    if (traced.callId !== undefined) this.#claimedBytes += data.length;
    else {
      this.#unclaimedBytes += data.length;
      this.#letOldestGo();
    }
  }

  #hasRoom(traced: Traced, bytes: number): boolean {
    if (traced.seenMessages >= MAX_MESSAGES_PER_CALL || traced.seenBytes + bytes > MAX_BYTES_PER_CALL)
      return false;
    return traced.callId === undefined
      ? traced.waitingBytes + bytes <= MAX_UNCLAIMED_BYTES_PER_CALL_ID
      : this.#claimedBytes + bytes <= MAX_WAITING_BYTES;
  }

  #add(key: string, nowMs: number): Traced {
    const traced: Traced = {
      firstAtMs: nowMs,
      callId: undefined,
      endedAtMs: undefined,
      waiting: [],
      waitingBytes: 0,
      seenMessages: 0,
      seenBytes: 0,
    };
    this.#unclaimed.set(key, traced);
    return traced;
  }

  #letOldestGo(): void {
    for (const [key, { waitingBytes }] of this.#unclaimed) {
      const isFull =
        this.#unclaimedBytes > MAX_UNCLAIMED_BYTES || this.#unclaimed.size > MAX_UNCLAIMED_CALL_IDS;
      if (!isFull) return;
      this.#unclaimed.delete(key);
      this.#unclaimedBytes -= waitingBytes;
    }
  }

  /**
   * Records the past and future messages of this SIP Call-ID for the call. Returns a function that reports
   * the call's end.
   */
  claim(sipCallId: string, callId: string): () => void {
    const key = storableSipCallId(sipCallId);
    const claimed = this.#claimed.get(key);
    const traced = claimed ?? this.#unclaimed.get(key) ?? this.#add(key, this.#clock.now().getTime());
    if (claimed === undefined) {
      this.#unclaimed.delete(key);
      this.#unclaimedBytes -= traced.waitingBytes;
      this.#claimedBytes += traced.waitingBytes;
      this.#claimed.set(key, traced);
    }
    // If several calls share a Call-ID, the limits start anew for the latest.
    const { length } = traced.waiting;
    Object.assign(traced, {
      callId,
      endedAtMs: undefined,
      seenMessages: length,
      seenBytes: traced.waitingBytes,
    });
    return () => {
      if (traced.callId === callId) traced.endedAtMs = this.#clock.now().getTime();
    };
  }

  /** Writes the pending messages of claimed Call-IDs. Never rejects; failed writes are retried. */
  flush(): Promise<void> {
    this.#flushing = this.#flushing
      .then(() => this.#flush())
      .catch((error: unknown) => this.#options.logger.warn({ err: error }, "storing SIP messages failed"));
    return this.#flushing;
  }

  async #flush(): Promise<void> {
    for (;;) {
      const { rows, taken } = this.#nextRows();
      if (rows.length === 0) break;
      await this.#insert(rows);
      for (const [traced, count] of taken) this.#drop(traced, count);
    }
    this.#forget();
  }

  /** Returns the rows of the next statement, and the number of messages in it by Call-ID. */
  #nextRows(): { rows: store.TraceMessageInsert[]; taken: Map<Traced, number> } {
    const rows: store.TraceMessageInsert[] = [];
    const taken = new Map<Traced, number>();
    let bytes = 0;
    for (const traced of this.#claimed.values()) {
      const { callId } = traced;
      if (callId === undefined) continue;
      for (const [index, message] of traced.waiting.entries()) {
        if (rows.length === MAX_ROWS || bytes >= MAX_STATEMENT_BYTES) return { rows, taken };
        bytes += message.data.length;
        rows.push({ ...message, callId, data: masked(message.data) });
        taken.set(traced, index + 1);
      }
    }
    return { rows, taken };
  }

  /**
   * Inserts rows. A row that the database rejects, for example of a deleted call, is lost without the others.
   */
  async #insert(rows: readonly store.TraceMessageInsert[]): Promise<void> {
    const { database, logger } = this.#options;
    try {
      await store.insertMessages(database, rows);
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      if (rows.length === 1) {
        logger.warn({ err: error, callId: rows[0]?.callId }, "storing a SIP message failed");
        return;
      }
      const half = Math.ceil(rows.length / 2);
      await this.#insert(rows.slice(0, half));
      await this.#insert(rows.slice(half));
    }
  }

  #forget(): void {
    const nowMs = this.#clock.now().getTime();
    for (const [key, { firstAtMs, waitingBytes }] of this.#unclaimed) {
      if (nowMs - firstAtMs <= UNCLAIMED_MS) break;
      this.#unclaimed.delete(key);
      this.#unclaimedBytes -= waitingBytes;
    }
    for (const [key, { endedAtMs, waiting }] of this.#claimed) {
      const isOver = endedAtMs !== undefined && nowMs - endedAtMs > ENDED_MS && waiting.length === 0;
      if (isOver) this.#claimed.delete(key);
    }
  }

  #drop(traced: Traced, messages: number): void {
    for (const { data } of traced.waiting.splice(0, messages)) {
      traced.waitingBytes -= data.length;
      this.#claimedBytes -= data.length;
    }
  }

  /** Writes the remaining messages; the database must still be open. Idempotent. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }
}

/** One character per byte (`latin1`), so that no byte is lost. */
function toText(data: Buffer): string {
  return data.toString("latin1");
}

function masked(data: Buffer): Buffer {
  return Buffer.from(maskSecrets(toText(data)), "latin1");
}
