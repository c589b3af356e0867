import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Logger } from "pino";
import type { Clock } from "../../platform/clock.ts";
import { spoolSuffixes } from "../../media/recording/recording-spool.ts";
import type { Database } from "../../platform/database/database.ts";
import type { CallsService } from "../calls/calls.service.ts";
import type { RecordingsService } from "../recordings/recordings.service.ts";

export interface RecordingFinisherOptions {
  nodeId: string;
  /** The folder of the media processes' spools. */
  folder: string;
  database: Database;
  calls: Pick<
    CallsService,
    "findOrganizationToRecordFor" | "noteResult" | "listAwaitingRecording" | "noteRecordingLost"
  >;
  recordings: Pick<RecordingsService, "upload" | "note" | "deleteFile">;
  /** Returns whether the call is active on this node: its spool is still being written. */
  isActive: (callId: string) => boolean;
  /** Number of parallel encodings. */
  concurrency: number;
  clock: Clock;
  logger: Logger;
  /** Interval between reads of the folder, and delay after a first failure. */
  pollIntervalMs?: number;
  firstRetryMs?: number;
}

const POLL_INTERVAL_MS = 1_000;
/** A writer touches its spool every two seconds: one that was untouched for longer was abandoned. */
const LEFT_BEHIND_AFTER_MS = 10_000;
/** An ended call has its spool after this time, if it ever had one. */
const SPOOL_DUE_MS = 5_000;
const FIRST_RETRY_MS = 5_000;
const MAX_RETRY_DELAY_MS = 300_000;
/** A broken spool stays broken, but an encoding may also fail because the machine was out of memory. */
const MAX_ENCODINGS = 3;
const ENCODING_DEADLINE_MS = 3600_000;
/** Output of an interrupted encoder. */
const PARTIAL_SUFFIX = ".partial";
const ENCODED_SUFFIX = ".opus";
/** A spool that could not be encoded, kept for analysis. */
const BROKEN_SUFFIX = ".broken";

const encoder = fileURLToPath(new URL("../../media/recording/recording-process.ts", import.meta.url));

interface Attempts {
  failures: number;
  encodings: number;
  notBeforeMs: number;
}

/**
 * Encodes the spools in a folder as recordings and stores them. The folder is the queue: spools that a crash
 * left are processed like others at the start. A spool is deleted only after its recording is stored.
 */
export class RecordingFinisher {
  readonly #options: RecordingFinisherOptions;
  readonly #closed = new AbortController();
  readonly #attempts = new Map<string, Attempts>();
  /** Durations of the encoded recordings that wait for their upload. */
  readonly #encodedMs = new Map<string, number>();
  readonly #underWay = new Map<string, Promise<void>>();
  #running: Promise<void> | undefined;

  constructor(options: RecordingFinisherOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Aborts the work in progress; it starts again at the next start. Idempotent. */
  async close(): Promise<void> {
    this.#closed.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#closed;
    const { logger } = this.#options;
    await this.#tidy().catch((error: unknown) =>
      logger.warn({ err: error }, "tidying the recordings folder failed"),
    );
    while (!signal.aborted) {
      try {
        await this.#look();
      } catch (error) {
        logger.error({ err: error }, "listing recordings failed");
      }
      const { pollIntervalMs = POLL_INTERVAL_MS } = this.#options;
      await sleep(pollIntervalMs, undefined, { signal }).catch(() => undefined);
    }
    await Promise.all(this.#underWay.values());
  }

  /** Deletes encodings that an earlier process of the node did not finish. */
  async #tidy(): Promise<void> {
    for (const name of await readdir(this.#options.folder)) {
      if (!name.endsWith(PARTIAL_SUFFIX) && !name.endsWith(ENCODED_SUFFIX)) continue;
      await rm(path.join(this.#options.folder, name), { force: true });
    }
  }

  async #look(): Promise<void> {
    const { folder, calls, nodeId, concurrency, logger } = this.#options;
    const now = this.#options.clock.now();
    // Read before the folder, because a recording that is finished in between is on the call's record.
    const endedBefore = new Date(now.getTime() - SPOOL_DUE_MS);
    const awaiting = await calls.listAwaitingRecording({ nodeId, endedBefore });
    const names = await readdir(folder);
    const spooled = new Set(names.filter(isSpool).map((name) => path.parse(name).name));
    for (const callId of awaiting.filter((each) => !spooled.has(each))) {
      if (await calls.noteRecordingLost(callId, now)) logger.warn({ callId }, "call recording lost");
    }
    for (const name of names) {
      if (this.#underWay.size >= concurrency) return;
      const { name: callId, ext: suffix } = path.parse(name);
      if (this.#underWay.has(callId) || !(await this.#isReady(callId, suffix))) continue;
      const work = this.#finish(callId, path.join(folder, name)).finally(() => this.#underWay.delete(callId));
      this.#underWay.set(callId, work);
    }
  }

  async #isReady(callId: string, suffix: string): Promise<boolean> {
    if ((this.#attempts.get(callId)?.notBeforeMs ?? 0) > performance.now()) return false;
    if (suffix === spoolSuffixes.ended) return true;
    if (suffix !== spoolSuffixes.open || this.#options.isActive(callId)) return false;
    const found = await stat(path.join(this.#options.folder, callId + suffix)).catch(() => undefined);
    return found !== undefined && Date.now() - found.mtimeMs > LEFT_BEHIND_AFTER_MS;
  }

  /** Never rejects. */
  async #finish(callId: string, spool: string): Promise<void> {
    const { logger } = this.#options;
    try {
      await this.#makeAndKeep(callId, spool);
      this.#attempts.delete(callId);
      this.#encodedMs.delete(callId);
    } catch (error) {
      if (this.#closed.signal.aborted) return;
      const { failures, encodings } = this.#attemptsOf(callId);
      const { firstRetryMs = FIRST_RETRY_MS } = this.#options;
      const delayMs = Math.min(MAX_RETRY_DELAY_MS, firstRetryMs * 2 ** failures);
      const notBeforeMs = performance.now() + delayMs;
      this.#attempts.set(callId, { failures: failures + 1, encodings, notBeforeMs });
      logger.warn({ err: error, callId, delayMs }, "finishing a recording failed; retrying");
    }
  }

  #attemptsOf(callId: string): Attempts {
    return this.#attempts.get(callId) ?? { failures: 0, encodings: 0, notBeforeMs: 0 };
  }

  async #makeAndKeep(callId: string, spool: string): Promise<void> {
    const { calls, logger, database, recordings } = this.#options;
    const file = path.join(this.#options.folder, callId + ENCODED_SUFFIX);
    const organizationId = await calls.findOrganizationToRecordFor(callId);
    if (organizationId === undefined) {
      logger.info({ callId }, "deleted the spool of a call that was deleted, or whose recording was");
      await rm(file, { force: true });
      return await rm(spool, { force: true });
    }
    const durationMs = this.#encodedMs.get(callId) ?? (await this.#encode(callId, spool, file));
    if (durationMs === undefined) return await this.#giveUp(callId, spool);
    const { size: sizeBytes } = await stat(file);
    const { signal } = this.#closed;
    const made = await recordings.upload({ organizationId, callId, file, sizeBytes, durationMs }, signal);
    const isKept = await database.transaction(async (transaction) => {
      const result = { recordingStatus: "ready" } as const;
      const call = await calls.noteResult(transaction, callId, result, this.#options.clock.now());
      if (call?.recordingStatus !== "ready") return false;
      await recordings.note(transaction, made);
      return true;
    });
    // Deleted during the upload.
    if (!isKept) await recordings.deleteFile(made, signal);
    await rm(file, { force: true });
    await rm(spool, { force: true });
    if (isKept) logger.info({ callId, durationMs, sizeBytes }, "call recorded");
  }

  /** Returns `undefined` if the spool cannot become a recording, even after retries. */
  async #encode(callId: string, spool: string, file: string): Promise<number | undefined> {
    const attempts = this.#attemptsOf(callId);
    this.#attempts.set(callId, { ...attempts, encodings: attempts.encodings + 1 });
    const partial = `${file}.${randomUUID()}${PARTIAL_SUFFIX}`;
    try {
      const durationMs = await encodeInProcess(spool, partial, this.#closed.signal);
      if (durationMs === 0) return undefined;
      await rename(partial, file);
      this.#encodedMs.set(callId, durationMs);
      return durationMs;
    } catch (error) {
      await rm(partial, { force: true });
      if (this.#closed.signal.aborted || attempts.encodings + 1 < MAX_ENCODINGS) throw error;
      this.#options.logger.error(
        { err: error, callId },
        "a recording spool is unreadable; no recording is made",
      );
      return undefined;
    }
  }

  async #giveUp(callId: string, spool: string): Promise<void> {
    const { calls, database, folder } = this.#options;
    await database.transaction(async (transaction) => {
      await calls.noteResult(transaction, callId, { recordingStatus: "failed" }, this.#options.clock.now());
    });
    await rename(spool, path.join(folder, callId + BROKEN_SUFFIX));
  }
}

const isSpool = (name: string): boolean =>
  Object.values(spoolSuffixes).some((suffix) => name.endsWith(suffix));

/**
 * Encodes in a process of its own with low priority. Resolves with the duration in milliseconds, 0 if there
 * is no audio.
 */
async function encodeInProcess(spool: string, file: string, signal: AbortSignal): Promise<number> {
  const encoding = promisify(execFile)(process.execPath, [encoder, spool, file], {
    signal,
    timeout: ENCODING_DEADLINE_MS,
    killSignal: "SIGKILL",
  });
  const { child } = encoding;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  try {
    const { stdout } = await encoding;
    const { durationMs }: { durationMs: number } = JSON.parse(stdout);
    return durationMs;
  } finally {
    // An aborted encoding rejects before its process ends, which takes a while with low priority on a busy machine.
    if (child.pid !== undefined) await ended;
  }
}
