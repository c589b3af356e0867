import { createWriteStream } from "node:fs";
import { mkdir, readdir, rm } from "node:fs/promises";
import path from "node:path";
import {
  formatTurnDecision,
  formatTurnSettings,
  type TurnSettings,
  type VoiceConversationOptions,
} from "@parley/conversation";
import type { Clock } from "../platform/clock.ts";

export interface TurnLogsOptions {
  /** Root folder: one folder per day, one file per call. */
  folder: string;
  /** Days to keep a day's logs. */
  keptDays: number;
  onError: (error: unknown) => void;
  clock: Clock;
}

/** Root folder of a node's turn logs. */
export const turnLogsFolderOf = ({ dataDirectory }: { dataDirectory: string }): string =>
  path.join(dataDirectory, "turn-logs");

type OnDecision = NonNullable<VoiceConversationOptions["onDecision"]>;

/** Log of one call. */
export interface TurnLog {
  onDecision: OnDecision;
  /** Idempotent. Resolves when everything is written or the log is given up. */
  close: () => Promise<void>;
}

const DAY_MS = 86_400_000;
/** About one hour of a call. Later decisions are not logged. */
const MAX_BYTES = 16 * 1024 * 1024;
/** Bound on unwritten data. Beyond it the log ends. */
const MAX_UNWRITTEN_BYTES = 1024 * 1024;

/** Logs the decisions of the turn policy. `npm run replay -- FILE` shows them. */
export class TurnLogs {
  readonly #options: TurnLogsOptions;
  /** Day on which old logs were last deleted. */
  #tidiedDay = "";

  constructor(options: TurnLogsOptions) {
    this.#options = options;
  }

  /** Returns immediately and reads `settings` later. A disk error does not affect the call. */
  open(callId: string, settings: () => TurnSettings): TurnLog {
    const day = dayOf(this.#options.clock.now());
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
    // It contains the caller's words.
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (day !== this.#tidiedDay) {
      this.#tidiedDay = day;
      await this.#tidy();
    }
    return createWriteStream(path.join(folder, `${callId}.jsonl`), { mode: 0o600 });
  }

  async #tidy(): Promise<void> {
    const firstKept = dayOf(new Date(this.#options.clock.now().getTime() - this.#options.keptDays * DAY_MS));
    for (const day of await readdir(this.#options.folder)) {
      if (!/^\d{4}-\d\d-\d\d$/.test(day) || day >= firstKept) continue;
      await rm(path.join(this.#options.folder, day), { recursive: true, force: true });
    }
  }
}

function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}
