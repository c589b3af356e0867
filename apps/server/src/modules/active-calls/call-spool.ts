import { closeSync, ftruncateSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import type { Logger } from "pino";
import { isDatabaseAway } from "../../platform/database/database-away.ts";
import { type CallWrite, type CallWrites, carryOutWrite, reviveWrite } from "../calls/call-write.ts";

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
  #isFull = false;

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
    this.#isFull = false;
  }

  /** Closes the file; its contents stay for the next start. Idempotent. */
  close(): void {
    if (this.#fd === undefined) return;
    closeSync(this.#fd);
    this.#fd = undefined;
    if (this.#callIds.size === 0) rmSync(this.#file, { force: true });
  }

  #append(lines: readonly Line[]): void {
    const { logger, folder, maxBytes = DEFAULT_MAX_BYTES } = this.#options;
    const text = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    if (this.#isFull) return;
    try {
      if (this.#bytes + text.length > maxBytes) throw new Error(`it would exceed ${maxBytes} bytes`);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      // In append mode, the first write after a truncation is at the start of the file.
      this.#fd ??= openSync(this.#file, "a", 0o600);
      writeSync(this.#fd, text);
      this.#bytes += text.length;
    } catch (error) {
      this.#isFull = true;
      logger.error(
        { err: error },
        "the call spool is full or not writable: unwritten call records are in memory only",
      );
    }
  }
}

/**
 * Carries out the writes that earlier processes left, and removes their files. Rejects if the database goes
 * away again.
 */
export async function finishSpools(folder: string, calls: CallWrites, logger: Logger): Promise<void> {
  const names = await readdir(folder).catch((): string[] => []);
  for (const name of names.filter((each) => each.endsWith(EXTENSION))) {
    const file = path.join(folder, name);
    const unwritten = readSpool(await readFile(file, "utf8"));
    for (const [callId, writes] of unwritten) await finishCall(calls, callId, writes, logger);
    await rm(file, { force: true });
    if (unwritten.size > 0) logger.warn({ calls: unwritten.size }, "wrote call records from the spool");
  }
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

/**
 * Carries out the writes of a call. Skips those that the database rejects: it would reject them at every
 * start.
 */
async function finishCall(
  calls: CallWrites,
  callId: string,
  writes: readonly CallWrite[],
  logger: Logger,
): Promise<void> {
  for (const write of writes) {
    try {
      await carryOutWrite(calls, callId, write);
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      logger.error(
        { err: error, callId, write: write.type },
        "writing part of a spooled call record failed; skipped",
      );
    }
  }
}
