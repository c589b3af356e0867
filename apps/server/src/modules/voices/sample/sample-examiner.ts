import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { AppError } from "../../../platform/app-error.ts";
import type { SampleMeasures } from "./sample-measures.ts";

const entry = fileURLToPath(new URL("./sample-process.ts", import.meta.url));
/** The longest sample takes about 3 s of processor time. */
const DEADLINE_MS = 25_000;
const MAX_AT_ONCE = 2;
const MAX_WAITING = 8;
const MAX_HEAP_MB = 512;

export interface SampleToExamine {
  bytes: Uint8Array;
  modelsDirectory: string;
}

export type SampleReport =
  /** Why it cannot become a voice. Each completes "The sample …". */
  | { reasons: readonly string[] }
  /** `wav`: the sound to store. */
  | { reasons?: undefined; measures: SampleMeasures; wav: Uint8Array };

/** Decodes and measures recordings, each in a process of its own. */
export class SampleExaminer {
  readonly #modelsDirectory: string;
  readonly #children = new Set<ChildProcess>();
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #isClosed = false;

  constructor(modelsDirectory: string) {
    this.#modelsDirectory = modelsDirectory;
  }

  /** Throws `capacity_exceeded` if too many recordings wait. */
  async examine(bytes: Uint8Array): Promise<SampleReport> {
    if (this.#running >= MAX_AT_ONCE) {
      if (this.#waiting.length >= MAX_WAITING) throw new AppError("capacity_exceeded", { message: BUSY });
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else this.#running += 1;
    try {
      return await this.#run(bytes);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }

  /** Ends the processes. Idempotent. */
  close(): void {
    this.#isClosed = true;
    for (const child of this.#children) child.kill("SIGKILL");
  }

  async #run(bytes: Uint8Array): Promise<SampleReport> {
    if (this.#isClosed) throw new AppError("capacity_exceeded", { message: "The server is shutting down." });
    const child = fork(entry, {
      serialization: "advanced",
      execArgv: [`--max-old-space-size=${MAX_HEAP_MB}`],
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    this.#children.add(child);
    const deadline = setTimeout(() => child.kill("SIGKILL"), DEADLINE_MS);
    const ended = once(child, "exit");
    try {
      let report: SampleReport | undefined;
      // The child sends one report.
      child.once("message", (message) => (report = message as SampleReport));
      child.once("error", () => child.kill("SIGKILL"));
      child.send({ bytes, modelsDirectory: this.#modelsDirectory } satisfies SampleToExamine, () => {});
      await ended;
      if (report !== undefined) return report;
      // Killed, or out of memory.
      if (child.signalCode !== null) return { reasons: [UNREADABLE] };
      throw new Error(`the examination of a recording ended with status ${child.exitCode}`);
    } finally {
      clearTimeout(deadline);
      this.#children.delete(child);
    }
  }
}

const BUSY = "Other recordings are being examined. Try again in a few seconds.";
const UNREADABLE = "could not be examined in time: try again, or export it anew as WAV";
