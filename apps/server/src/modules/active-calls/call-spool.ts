import { closeSync, ftruncateSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import type { Logger } from "pino";
import { isDatabaseAway } from "../../platform/database/database-away.ts";
import {
  type CallWrite,
  type CallWrites,
  carryOutWrite,
  isDroppable,
  reviveWrite,
} from "../calls/call-write.ts";
import type { LostCalls } from "../calls/lost-calls.ts";
import { findLifeSigns } from "./life-signs.ts";

const EXTENSION = ".jsonl";
/** About an hour of 250 calls. */
const DEFAULT_MAX_BYTES = 256 * 1024 * 1024;

/** A line of the file: a write, or without one a mark that all earlier writes of the call succeeded. */
interface Line {
  callId: string;
  write?: CallWrite;
}

export interface CallSpoolOptions {
  /** Folder of this node's spool and of spools that earlier processes left. It contains no other files. */
  folder: string;
  nodeId: string;
  logger: Logger;
  maxBytes?: number;
}

/**
 * Stores writes in a file while the database does not accept them, so that they survive this process: the
 * next process that starts on the folder finishes them (`finishSpools`). While the database answers, the file
 * is empty or does not exist.
 */
export class CallSpool {
  readonly #options: CallSpoolOptions;
  readonly #file: string;
  /** Calls with writes in the spool that have not succeeded yet. */
  readonly #callIds = new Set<string>();
  #fd: number | undefined;
  #bytes = 0;
  #isTorn = false;
  #hasWarned = false;

  constructor(options: CallSpoolOptions) {
    this.#options = options;
    this.#file = path.join(options.folder, `${options.nodeId}${EXTENSION}`);
  }

  /** Returns once the operating system has the writes: they then survive the death of this process. */
  add(callId: string, writes: readonly CallWrite[]): void {
    this.#callIds.add(callId);
    this.#append(writes.map((write) => ({ callId, write })));
  }

  /** Marks all writes of the call as succeeded. */
  settle(callId: string): void {
    this.#callIds.delete(callId);
    if (this.#fd === undefined) return;
    if (this.#callIds.size > 0) return this.#append([{ callId }]);
    ftruncateSync(this.#fd, 0);
    this.#bytes = 0;
    this.#isTorn = false;
    this.#hasWarned = false;
  }

  /** Closes the file; its contents stay for the next start. Idempotent. */
  close(): void {
    if (this.#fd === undefined) return;
    closeSync(this.#fd);
    this.#fd = undefined;
    if (this.#callIds.size === 0) rmSync(this.#file, { force: true });
  }

  #append(lines: readonly Line[]): void {
    const { folder, maxBytes = DEFAULT_MAX_BYTES } = this.#options;
    const texts = lines.map((line) => ({ line, text: `${JSON.stringify(line)}\n` }));
    let bytes = this.#bytes;
    const kept = texts.filter(({ line, text }) => {
      if (bytes + text.length > maxBytes && line.write !== undefined && isDroppable(line.write)) return false;
      bytes += text.length;
      return true;
    });
    if (kept.length < texts.length) this.#warn(new Error(`it would exceed ${maxBytes} bytes`));
    if (kept.length === 0) return;
    const whole = Buffer.from((this.#isTorn ? "\n" : "") + kept.map(({ text }) => text).join(""));
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      // In append mode, the first write after a truncation is at the start of the file.
      this.#fd ??= openSync(this.#file, "a", 0o600);
      // Until all of it is written, the last line may be cut off, as by a full disk.
      this.#isTorn = true;
      const written = writeSync(this.#fd, whole);
      this.#bytes += written;
      if (written < whole.length) throw new Error("the disk is full");
      this.#isTorn = false;
    } catch (error) {
      this.#warn(error);
    }
  }

  #warn(error: unknown): void {
    if (!this.#hasWarned)
      this.#options.logger.error(
        { err: error },
        "the call spool is full or not writable: part of the unwritten call records is in memory only",
      );
    this.#hasWarned = true;
  }
}

/** What finishes the records of an earlier process. */
interface SpoolFinish {
  calls: CallWrites;
  lostCalls: Pick<LostCalls, "close">;
  now: Date;
  logger: Logger;
}

/**
 * Carries out the writes that earlier processes left, ends the calls that died with them at their last sign of life, and
 * removes the files. Rejects if the database goes away again.
 */
export async function finishSpools(
  folder: string,
  { calls, lostCalls, now, logger }: SpoolFinish,
): Promise<void> {
  const names = await readdir(folder).catch((): string[] => []);
  const found = await findLifeSigns(folder);
  const signs = new Map(found.signs);
  for (const name of names.filter((each) => each.endsWith(EXTENSION))) {
    const file = path.join(folder, name);
    const unwritten = readSpool(await readFile(file, "utf8"));
    for (const [callId, writes] of unwritten) {
      for (const write of writes) {
        const attempt = async (): Promise<void> => await carryOutWrite(calls, callId, write);
        await skipIfRejected(attempt, logger, { callId, write: write.type });
        const at = timeOf(write);
        if (at !== undefined && at > (signs.get(callId) ?? 0)) signs.set(callId, at);
      }
    }
    await endLost(signs, { lostCalls, now, logger });
    await rm(file, { force: true });
    if (unwritten.size > 0) logger.warn({ calls: unwritten.size }, "wrote call records from the spool");
  }
  await endLost(signs, { lostCalls, now, logger });
  await found.remove();
}

/** Ends those of the calls that have no end of their own. */
async function endLost(
  signs: ReadonlyMap<string, Date>,
  { lostCalls, now, logger }: Omit<SpoolFinish, "calls">,
): Promise<void> {
  for (const [callId, at] of signs)
    await skipIfRejected(async () => await lostCalls.close(callId, at, now), logger, {
      callId,
      write: "end",
    });
}

/** Returns when a write was made, if it says so. */
function timeOf(write: CallWrite): Date | undefined {
  if (write.type === "answered") return write.answer.at;
  if (write.type === "finish") return write.end.endedAt;
  return write.type === "item" || write.type === "ringing" ? write.at : undefined;
}

/**
 * Returns the unfinished writes by call, in order. The last line may be incomplete if the process died while
 * writing it.
 */
function readSpool(text: string): Map<string, CallWrite[]> {
  const unwritten = new Map<string, CallWrite[]>();
  for (const each of text.split("\n")) {
    const line = parseLine(each);
    if (line === undefined) continue;
    const { callId, write } = line;
    const writes = unwritten.get(callId);
    if (write === undefined) unwritten.delete(callId);
    else if (writes === undefined) unwritten.set(callId, [reviveWrite(write)]);
    else writes.push(reviveWrite(write));
  }
  return unwritten;
}

function parseLine(text: string): Line | undefined {
  if (text.trim() === "") return undefined;
  try {
    const line: Line = JSON.parse(text);
    return line;
  } catch {
    return undefined;
  }
}

/** Skips what the database rejects: it would reject it at every start. */
async function skipIfRejected(
  write: () => Promise<unknown>,
  logger: Logger,
  about: { callId: string; write: string },
): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (isDatabaseAway(error)) throw error;
    logger.error({ err: error, ...about }, "writing part of a spooled call record failed; skipped");
  }
}
