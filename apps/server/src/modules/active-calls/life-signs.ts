import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Clock } from "../../platform/clock.ts";

const EXTENSION = ".signs.json";
const INTERVAL_MS = 1_000;

export interface LifeSignsOptions {
  /** The spool's folder. */
  folder: string;
  nodeId: string;
  /** The calls of this node until their end is written; `endedAt` is `undefined` while a call goes on. */
  calls: () => Iterable<{ id: string; endedAt: Date | undefined }>;
  clock: Clock;
  logger: Logger;
}

/**
 * Writes to a file, every second, until when each call of this node is known to have gone on. If the node is killed
 * while its database is away, the next start bills its calls up to that time: no heartbeat and perhaps no other write
 * proves that they went on.
 */
export class LifeSigns {
  readonly #options: LifeSignsOptions;
  readonly #file: string;
  readonly #closed = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #isWritten = false;
  #isFailing = false;

  constructor(options: LifeSignsOptions) {
    this.#options = options;
    this.#file = path.join(options.folder, `${options.nodeId}${EXTENSION}`);
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Removes the file: a node that ends has written the ends of its calls. Idempotent. */
  async close(): Promise<void> {
    this.#closed.abort();
    await this.#running;
    await rm(this.#file, { force: true });
  }

  /** Writes the signs of now. Never rejects. */
  async write(): Promise<void> {
    const { folder, calls, clock, logger } = this.#options;
    const now = clock.now();
    const signs = Object.fromEntries(Array.from(calls(), ({ id, endedAt = now }) => [id, endedAt]));
    try {
      if (Object.keys(signs).length > 0) {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        // Renamed, so that a process that dies meanwhile leaves the earlier file.
        await writeFile(`${this.#file}.new`, JSON.stringify(signs), { mode: 0o600 });
        await rename(`${this.#file}.new`, this.#file);
        this.#isWritten = true;
      } else if (this.#isWritten) {
        await rm(this.#file, { force: true });
        this.#isWritten = false;
      }
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) logger.error({ err: error }, "writing the life signs of calls failed");
      this.#isFailing = true;
    }
  }

  async #run(): Promise<void> {
    const { signal } = this.#closed;
    while (!signal.aborted) {
      await this.write();
      await sleep(INTERVAL_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** Life signs that earlier processes left in a folder. */
export interface FoundSigns {
  /** Times until which calls are known to have gone on, by id. */
  signs: ReadonlyMap<string, Date>;
  /** Removes their files. */
  remove: () => Promise<void>;
}

export async function findLifeSigns(folder: string): Promise<FoundSigns> {
  const names = await readdir(folder).catch((): string[] => []);
  const files = names
    .filter((each) => each.includes(EXTENSION))
    .map((each) => ({ file: path.join(folder, each), isWhole: each.endsWith(EXTENSION) }));
  const signs = new Map<string, Date>();
  for (const { file } of files.filter(({ isWhole }) => isWhole)) {
    for (const [id, at] of Object.entries(parseSigns(await readFile(file, "utf8"))))
      signs.set(id, new Date(at));
  }
  return {
    signs,
    remove: async () => {
      for (const { file } of files) await rm(file, { force: true });
    },
  };
}

function parseSigns(text: string): Record<string, string> {
  try {
    const signs: Record<string, string> = JSON.parse(text);
    return signs;
  } catch {
    // The disk lost it in a power failure.
    return {};
  }
}
