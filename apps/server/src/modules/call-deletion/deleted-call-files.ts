import { readdir, rm } from "node:fs/promises";
import path from "node:path";
import type { Logger } from "pino";
import type { Bus } from "../../platform/bus/bus.ts";
import type { CallsService } from "../calls/calls.service.ts";
import { CALL_FILES_TOPIC } from "./call-deletion.service.ts";

const SWEEP_INTERVAL_MS = 3600_000;
/** Calls per query. */
const CHUNK = 500;
/** Name of a file that is named after its call. */
const CALL_FILE = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(\.[a-z]+)$/;
/** The finisher of recordings deletes the others. */
const BROKEN_SPOOL = ".broken";

export interface DeletedCallFilesOptions {
  /** Root of the folders with turn logs, one per day. */
  turnLogsFolder: string;
  recordingFolder: string;
  calls: Pick<CallsService, "listStored">;
  bus: Bus;
  logger: Logger;
}

interface CallFile {
  callId: string;
  file: string;
  part: "transcript" | "recording";
}

/**
 * Deletes files on this node's disk of calls, transcripts and recordings that were deleted: when the bus reports the deletion,
 * and in an hourly sweep that finds what was deleted while this node was away.
 */
export class DeletedCallFiles {
  readonly #options: DeletedCallFilesOptions;
  #stops: (() => void)[] = [];
  #running: Promise<void> = Promise.resolve();
  /** Calls that the next sweep looks for; `"all"`: every call. `undefined`: no sweep waits. */
  #wanted: Set<string> | "all" | undefined;

  constructor(options: DeletedCallFilesOptions) {
    this.#options = options;
  }

  start(): void {
    const { bus } = this.#options;
    const timer = setInterval(() => this.#begin(), SWEEP_INTERVAL_MS);
    this.#stops = [
      bus.subscribe(CALL_FILES_TOPIC, (callId) => this.#begin(callId)),
      bus.onReconnect(() => this.#begin()),
      () => clearInterval(timer),
    ];
    this.#begin();
  }

  /** Waits for the sweep in progress. Idempotent. */
  async close(): Promise<void> {
    for (const stop of this.#stops.splice(0)) stop();
    await this.#running;
  }

  /** Deletes the files of some calls, or of all calls, that are no longer to be stored. */
  async sweep(wanted: ReadonlySet<string> | "all"): Promise<void> {
    const all = await this.#list();
    const files = wanted === "all" ? all : all.filter(({ callId }) => wanted.has(callId));
    for (let from = 0; from < files.length; from += CHUNK) {
      const chunk = files.slice(from, from + CHUNK);
      const stored = await this.#options.calls.listStored(chunk.map((each) => each.callId));
      for (const { file, part, callId: id } of chunk) {
        const call = stored.get(id);
        const isStored = part === "transcript" ? call?.hasTranscript : call?.mayHaveRecording;
        if (isStored !== true) await rm(file, { force: true });
      }
    }
  }

  /** Deletions that are reported during a sweep share the next one, which reads the folders once. */
  #begin(callId?: string): void {
    const { logger } = this.#options;
    const waiting = this.#wanted;
    if (callId === undefined) this.#wanted = "all";
    else if (waiting === undefined) this.#wanted = new Set([callId]);
    else if (waiting !== "all") waiting.add(callId);
    if (waiting !== undefined) return;
    this.#running = this.#running
      .then(async () => {
        const wanted = this.#wanted ?? "all";
        this.#wanted = undefined;
        await this.sweep(wanted);
      })
      .catch((error: unknown) => logger.warn({ err: error }, "deleting files of deleted calls failed"));
  }

  async #list(): Promise<CallFile[]> {
    const { turnLogsFolder, recordingFolder } = this.#options;
    const files: CallFile[] = [];
    for (const day of await namesIn(turnLogsFolder)) {
      const folder = path.join(turnLogsFolder, day);
      for (const name of await namesIn(folder)) {
        const callId = CALL_FILE.exec(name)?.[1];
        if (callId !== undefined) files.push({ callId, file: path.join(folder, name), part: "transcript" });
      }
    }
    for (const name of await namesIn(recordingFolder)) {
      const [, callId, suffix] = CALL_FILE.exec(name) ?? [];
      if (callId === undefined || suffix !== BROKEN_SPOOL) continue;
      files.push({ callId, file: path.join(recordingFolder, name), part: "recording" });
    }
    return files;
  }
}

/** Names in a folder; none if it does not exist. */
async function namesIn(folder: string): Promise<string[]> {
  return await readdir(folder).catch(() => []);
}
