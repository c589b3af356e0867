import { createWriteStream } from "node:fs";
import { mkdir, readdir, rm } from "node:fs/promises";
import path from "node:path";
import {
  formatTurnDecision,
  formatTurnSettings,
  type TurnSettings,
  type VoiceConversationOptions,
} from "@parley/conversation";

export interface TurnLogsOptions {
  /** A folder per day in it, a file per call in that. */
  folder: string;
  /** A day's logs are deleted so many days after it. */
  keptDays: number;
  onError: (error: unknown) => void;
  /** Milliseconds since 1970; `Date.now` unless told. */
  now?: () => number;
}

type OnDecision = NonNullable<VoiceConversationOptions["onDecision"]>;

/** One call's log. */
export interface TurnLog {
  onDecision: OnDecision;
  /** Idempotent. Resolves when all is written, or will never be. */
  close: () => Promise<void>;
}

const DAY_MS = 86_400_000;
/** About an hour of a call; what follows is not logged. */
const MAX_BYTES = 16 * 1024 * 1024;
/** What the disk may be behind; it is not waited for. */
const MAX_UNWRITTEN_BYTES = 1024 * 1024;

/** Writes down how the turn policy decided in calls, to be looked at with `npm run replay -- FILE`. */
export class TurnLogs {
  readonly #options: TurnLogsOptions;
  readonly #now: () => number;
  /** Of the day that old logs were last deleted on. */
  #tidiedDay = "";

  constructor(options: TurnLogsOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** Returns at once; `settings` are asked for later. A log that cannot be written costs the call nothing. */
  open(callId: string, settings: () => TurnSettings): TurnLog {
    const day = dayOf(this.#now());
    const lines: string[] = [];
    let isOpen = true;
    let bytes = 0;
    let write = (line: string): void => void lines.push(line);
    const opened = this.#openFile(day, callId).then((file) => {
      const { promise: closed, resolve } = Promise.withResolvers<void>();
      file.on("error", (error) => {
        isOpen = false;
        this.#options.onError(error);
      });
      file.on("close", () => resolve());
      write = (line) => {
        bytes += line.length + 1;
        if (bytes > MAX_BYTES || file.writableLength > MAX_UNWRITTEN_BYTES) isOpen = false;
        else file.write(`${line}\n`);
      };
      for (const line of [formatTurnSettings(settings()), ...lines.splice(0)]) write(line);
      return { file, closed };
    });
    opened.catch((error: unknown) => {
      isOpen = false;
      this.#options.onError(error);
    });
    return {
      onDecision: (event, effects) => {
        if (isOpen) write(formatTurnDecision(event, effects));
      },
      close: async () => {
        isOpen = false;
        const log = await opened.catch(() => undefined);
        log?.file.end();
        await log?.closed;
      },
    };
  }

  async #openFile(day: string, callId: string): Promise<ReturnType<typeof createWriteStream>> {
    const folder = path.join(this.#options.folder, day);
    // What the caller said stands in it.
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (day !== this.#tidiedDay) {
      this.#tidiedDay = day;
      await this.#tidy();
    }
    return createWriteStream(path.join(folder, `${callId}.jsonl`), { mode: 0o600 });
  }

  async #tidy(): Promise<void> {
    const firstKept = dayOf(this.#now() - this.#options.keptDays * DAY_MS);
    for (const day of await readdir(this.#options.folder)) {
      if (!/^\d{4}-\d\d-\d\d$/.test(day) || day >= firstKept) continue;
      await rm(path.join(this.#options.folder, day), { recursive: true, force: true });
    }
  }
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
